#include "extract/translated_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "engine/layout_map.h"
#include "estimate/passing_sectors.h"
#include "layout/compile.h"
#include "model/validate.h"

namespace platter::extract {
namespace {

// Blocks that lie in a zone in sequence.
model::NotUnderstood blocks_of(const engine::LayoutMap& map, std::uint64_t first_slot,
                               std::uint64_t end_slot, std::string reason) {
  const std::uint64_t first = map.lbn_at_or_after_slot(first_slot);
  const std::uint64_t end = end_slot < map.slots() ? map.lbn_at_or_after_slot(end_slot)
                                                   : map.blocks();
  return {first, end > first ? end - 1 : first, std::move(reason)};
}

void add_not_understood(std::vector<model::NotUnderstood>& all, model::NotUnderstood more) {
  std::erase_if(all, [&more](const model::NotUnderstood& other) {
    return other.first_lbn <= more.last_lbn && other.last_lbn >= more.first_lbn &&
           (more.first_lbn = std::min(more.first_lbn, other.first_lbn),
            more.last_lbn = std::max(more.last_lbn, other.last_lbn), true);
  });
  all.insert(std::ranges::upper_bound(all, more.first_lbn, {}, &model::NotUnderstood::first_lbn),
             std::move(more));
}

std::string contradiction(const estimate::ZonePassing& zone) {
  return fmt::format(
      "{:.0f} % of {} pairs of sectors that it puts on one track passed the heads at "
      "other times than sectors of a track do",
      100 * zone.contradicting, zone.pairs);
}

void lengthen(model::LayoutNode& node, std::uint32_t more) {
  if (node.sectors > 0) node.sectors += more;
  for (model::LayoutNode& child : node.children) lengthen(child, more);
}

// From slots of the old layout to those of the one with longer tracks.
class Longer {
 public:
  Longer(const model::Layout& layout, const std::vector<std::uint32_t>& more)
      : map_(layout), more_(more), starts_(model::zone_starts(layout)) {
    std::uint64_t added = 0;
    for (std::size_t i = 0; i < more_.size(); ++i) {
      added_.push_back(added);
      const std::uint64_t slots = starts_[i + 1] - starts_[i];
      if (more_[i] > 0) added += slots / map_.track_of_slot(starts_[i]).sectors * more_[i];
    }
  }

  std::uint64_t slot(std::uint64_t old) const {
    const engine::Track track = map_.track_of_slot(old);
    const std::uint64_t tracks_before = (old - starts_[track.zone]) / track.sectors;
    return old + added_[track.zone] + tracks_before * more_[track.zone];
  }

  // Everything that holds no block: what held none before, and the new ends of tracks.
  std::vector<layout::SlotRange> free(const std::vector<model::Skip>& skips) const {
    std::vector<layout::SlotRange> old;
    for (const model::Skip& skip : skips)
      for (std::uint64_t i = 0; i < skip.count; ++i) {
        const std::uint64_t first = skip.first_slot + i * skip.stride;
        old.push_back({first, first + skip.length});
      }
    std::vector<layout::SlotRange> result;
    const auto add = [&result](std::uint64_t first, std::uint64_t end) {
      if (!result.empty() && result.back().end == first)
        result.back().end = end;
      else if (end > first)
        result.push_back({first, end});
    };
    auto next = old.begin();
    for (std::size_t zone = 0; zone < more_.size(); ++zone) {
      // Unchanged zones are not walked track by track.
      if (more_[zone] == 0) {
        for (; next != old.end() && next->first < starts_[zone + 1]; ++next) {
          const std::uint64_t end = std::min(next->end, starts_[zone + 1]);
          add(slot(next->first), slot(end - 1) + 1);
          if (next->end <= end) continue;
          next->first = end;  // goes on in the next zone
          break;
        }
        continue;
      }
      const std::uint32_t sectors = map_.track_of_slot(starts_[zone]).sectors;
      for (std::uint64_t track = starts_[zone]; track < starts_[zone + 1]; track += sectors) {
        for (; next != old.end() && next->first < track + sectors; ++next) {
          const std::uint64_t end = std::min(next->end, track + sectors);
          add(slot(next->first), slot(end - 1) + 1);
          if (next->end <= end) continue;
          next->first = end;
          break;
        }
        const std::uint64_t behind = slot(track + sectors - 1) + 1;
        add(behind, behind + more_[zone]);
      }
    }
    return result;
  }

 private:
  engine::LayoutMap map_;
  std::vector<std::uint32_t> more_;
  std::vector<std::uint64_t> starts_;
  std::vector<std::uint64_t> added_;  // slots, in the zones before
};

}  // namespace

model::Layout with_longer_tracks(const model::Layout& layout,
                                 const std::vector<std::uint32_t>& more) {
  const Longer longer(layout, more);
  model::Layout result = layout;
  for (std::size_t i = 0; i < more.size(); ++i)
    if (more[i] > 0) lengthen(result.zones[i], more[i]);
  result.skips = layout::skips_of(longer.free(layout.skips));
  for (model::Remap& remap : result.remaps) remap.slot = longer.slot(remap.slot);
  return result;
}

JudgedMap judge_map(const model::Layout& translated, const estimate::PassingSectors& passing) {
  constexpr double kNearlyAll = 0.8;
  JudgedMap judged;
  const engine::LayoutMap map(translated);
  const std::vector<std::uint64_t> starts = model::zone_starts(translated);
  std::vector<model::NotUnderstood> not_understood;
  std::vector<std::uint32_t> more;
  std::uint64_t untrue_blocks = 0;
  std::map<std::uint32_t, std::vector<std::size_t>> zones_by_hidden;
  std::string first_contradiction;
  for (std::size_t i = 0; i < passing.zones.size(); ++i) {
    const estimate::ZonePassing& zone = passing.zones[i];
    judged.left_zones.push_back(zone.untrue || zone.uneven);
    more.push_back(zone.hidden);
    if (zone.hidden > 0) zones_by_hidden[zone.hidden].push_back(i);
    if (!zone.untrue && !zone.uneven) continue;
    const std::string why = contradiction(zone);
    if (zone.untrue && first_contradiction.empty()) first_contradiction = why;
    not_understood.push_back(blocks_of(
        map, starts[i], starts[i + 1],
        zone.untrue ? "address translation contradicts timed reads: " + why
                    : "tracks are not as long as the map has them: sectors pass the heads "
                      "at another pace"));
    if (zone.untrue)
      untrue_blocks += not_understood.back().last_lbn - not_understood.back().first_lbn + 1;
  }
  if (static_cast<double>(untrue_blocks) > kNearlyAll * static_cast<double>(map.blocks())) {
    judged.layout.reason = "the drive's address translation contradicts timed reads: " +
                           first_contradiction;
    judged.notes = {{model::Code::translation_contradicted, "layout: " + judged.layout.reason}};
    return judged;
  }
  const bool longer = std::ranges::any_of(more, [](std::uint32_t sectors) { return sectors > 0; });
  judged.layout = longer ? with_longer_tracks(translated, more) : translated;
  for (const auto& [hidden, zones] : zones_by_hidden) {
    const estimate::ZonePassing& zone = passing.zones[zones.front()];
    judged.notes.push_back(fmt::format(
        "layout: the tracks of {} of {} zones have {} more sectors at their end than address "
        "translation tells of (of zone {}, the first of them, {:.2f} pass in a revolution, "
        "with a standard error of {:.2f})",
        zones.size(), passing.zones.size(), hidden, zones.front(), zone.passing->value,
        zone.passing->error));
  }
  if (!not_understood.empty())
    judged.notes.emplace_back(
        model::Code::zones_not_understood,
        fmt::format("layout: {} of {} zones are not as timed reads have them; of LBN "
                    "{} to {}, {}",
                    not_understood.size(), passing.zones.size(), not_understood.front().first_lbn,
                    not_understood.front().last_lbn, not_understood.front().reason));
  for (model::NotUnderstood& part : not_understood)
    add_not_understood(judged.layout.not_understood, std::move(part));
  return judged;
}

}  // namespace platter::extract

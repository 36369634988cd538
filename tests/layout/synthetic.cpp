#include "layout/synthetic.h"

#include <fmt/core.h>

#include <algorithm>

namespace platter::layout::testing {

SyntheticTranslator::SyntheticTranslator(const model::Layout& layout, Behaviour behaviour)
    : map_(layout), behaviour_(behaviour) {}

// Sectors by which the first slot lies behind the index: as the layout has it, else skews of 7 and
// 13 sectors.
std::uint32_t SyntheticTranslator::shift(const engine::Track& track) const {
  if (behaviour_.lists_from_index)
    return static_cast<std::uint32_t>(engine::rev_from_angle(track.angle) * track.sectors);
  return (track.head * 7 + track.cylinder * 13) % track.sectors;
}

scsi::PhysicalAddress SyntheticTranslator::address(std::uint64_t slot) const {
  const engine::Track track = map_.track_of_slot(slot);
  std::uint32_t sector = static_cast<std::uint32_t>(slot - track.first_slot);
  if (behaviour_.sectors == Sectors::from_index) {
    sector = (sector + shift(track)) % track.sectors;
  } else if (behaviour_.sectors == Sectors::without_holes) {
    const auto slips = [&](std::uint64_t end) {
      return std::ranges::lower_bound(primary, end) - primary.begin();
    };
    sector -= static_cast<std::uint32_t>(slips(slot) - slips(track.first_slot));
  }
  return {track.cylinder, track.head, sector + behaviour_.base};
}

std::optional<scsi::Translation> SyntheticTranslator::translate(std::uint64_t lbn) {
  if (lbn >= map_.blocks()) return std::nullopt;
  return scsi::Translation{
      {address(map_.slot_of_lbn(lbn))}, behaviour_.says_remapped && map_.is_remapped(lbn), false};
}

std::optional<scsi::PlaceContent> SyntheticTranslator::translate_back(
    const scsi::PhysicalAddress& place) {
  if (!behaviour_.translates_back) return std::nullopt;
  const auto track = map_.track_at(place.cylinder, place.head);
  if (!track || place.sector < behaviour_.base) return std::nullopt;
  std::uint32_t slot = place.sector - behaviour_.base;
  if (behaviour_.sectors == Sectors::without_holes) {
    for (const std::uint64_t slip : primary)
      if (slip >= track->first_slot && slip - track->first_slot <= slot) ++slot;
  }
  if (slot >= track->sectors) return std::nullopt;
  if (behaviour_.sectors == Sectors::from_index)
    slot = (slot + track->sectors - shift(*track)) % track->sectors;
  return scsi::PlaceContent{map_.lbn_of_slot(track->first_slot + slot)};
}

std::optional<DefectPlaces> SyntheticTranslator::defects(bool want_primary, bool want_grown) {
  if ((want_primary && !behaviour_.gives_primary) || (want_grown && !behaviour_.gives_grown))
    return std::nullopt;
  DefectPlaces list;
  if (behaviour_.lists_from_index) list.unit = DefectUnit::sectors_from_index;
  const auto add = [&](const std::vector<std::uint64_t>& slots) {
    for (const std::uint64_t slot : slots) {
      const engine::Track track = map_.track_of_slot(slot);
      auto sector = static_cast<std::uint32_t>(slot - track.first_slot);
      if (behaviour_.lists_from_index || behaviour_.sectors == Sectors::from_index)
        sector = (sector + shift(track)) % track.sectors;
      const std::uint32_t base = behaviour_.lists_from_index ? 0 : behaviour_.base;
      list.places.push_back({track.cylinder, track.head, sector + base});
    }
  };
  if (want_primary) add(primary);
  if (want_grown) add(grown);
  return list;
}

namespace {

std::string text(const char* whose, const engine::LayoutMap& map, std::uint64_t lbn) {
  const engine::Pbn place = map.pbn_of_lbn(lbn);
  return fmt::format("{} cylinder {}, head {}, slot {} of {}", whose, place.cylinder, place.head,
                     place.sector, map.track_of_slot(map.slot_of_lbn(lbn)).sectors);
}

model::Layout without_remaps(model::Layout layout) {
  layout.remaps.clear();
  return layout;
}

}  // namespace

std::string difference(const model::Layout& truth, const model::Layout& found, bool slots) {
  const auto differ = [&](const engine::LayoutMap& a, const engine::LayoutMap& b,
                          std::uint64_t lbn) -> std::string {
    const engine::Pbn x = a.pbn_of_lbn(lbn), y = b.pbn_of_lbn(lbn);
    const bool same_sectors = a.track_of_slot(a.slot_of_lbn(lbn)).sectors ==
                              b.track_of_slot(b.slot_of_lbn(lbn)).sectors;
    if (x.cylinder == y.cylinder && x.head == y.head &&
        (!slots || (x.sector == y.sector && same_sectors)))
      return "";
    return fmt::format("block {}: {}; {}", lbn, text("true", a, lbn), text("found", b, lbn));
  };
  // Remapped blocks one by one, all others in sequence: equal at both ends of a stretch of one
  // track without holes in either map, they are equal in between.
  const engine::LayoutMap a(truth), b(found);
  const auto claimed = [&found](std::uint64_t lbn) {
    return std::ranges::none_of(found.not_understood, [lbn](const auto& range) {
      return lbn >= range.first_lbn && lbn <= range.last_lbn;
    });
  };
  if (a.blocks() != b.blocks()) return fmt::format("{} blocks, found {}", a.blocks(), b.blocks());
  if (truth.remaps.size() != found.remaps.size() && found.not_understood.empty())
    return fmt::format("{} remaps, found {}", truth.remaps.size(), found.remaps.size());
  for (const model::Remap& remap : truth.remaps) {
    if (!claimed(remap.lbn)) continue;
    if (auto text = differ(a, b, remap.lbn); !text.empty()) return text;
    if (!b.is_remapped(remap.lbn)) return fmt::format("block {} is remapped", remap.lbn);
  }
  // (Where a remapped block would be in sequence does not show.)
  const engine::LayoutMap p(without_remaps(truth)), q(without_remaps(found));
  for (std::uint64_t lbn = 0; lbn < p.blocks();) {
    const engine::Track track = p.track_of_slot(p.slot_of_lbn(lbn));
    const std::uint64_t end = p.lbn_at_or_after_slot(track.first_slot + track.sectors);
    const auto dense = [&](const engine::LayoutMap& map) {
      return map.slot_of_lbn(end - 1) - map.slot_of_lbn(lbn) == end - 1 - lbn;
    };
    const std::uint64_t step = dense(p) && dense(q) && end - 1 > lbn && claimed(lbn) &&
                                       claimed(end - 1) && !a.is_remapped(lbn) &&
                                       !a.is_remapped(end - 1)
                                   ? end - 1 - lbn
                                   : 1;
    for (std::uint64_t at = lbn; at < end; at += step) {
      if (a.is_remapped(at) || !claimed(at)) continue;
      if (auto text = differ(p, q, at); !text.empty()) return text;
    }
    lbn = end;
  }
  return "";
}

}  // namespace platter::layout::testing

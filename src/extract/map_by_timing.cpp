#include "extract/map_by_timing.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "engine/layout_map.h"
#include "extract/timed_surfaces.h"
#include "layout_by_timing/common_skews.h"
#include "layout_by_timing/judgement.h"
#include "layout_by_timing/to_layout.h"
#include "model/error.h"
#include "model/validate.h"

namespace platter::extract {
namespace {

namespace timing = layout_by_timing;

constexpr std::size_t kJudged = 400;  // blocks: a share of 99 % is known to half a percent

const char* name_of(timing::Standing standing) {
  return standing == timing::Standing::interpolated ? "interpolated" : "guessed";
}

// Of runs one after another, those that were not looked at themselves, joined.
model::TimedMap standing_of(const std::vector<timing::Run>& runs, const timing::MediaTiming& media,
                            std::uint64_t logical) {
  model::TimedMap timed;
  for (const timing::Run& run : runs) {
    for (const timing::Loss& loss : run.losses)
      if (!loss.located) timed.unlocated_sectors += loss.sectors;
    if (run.standing == timing::Standing::seen) continue;
    const std::uint64_t first = media.first_lbn() + run.first * media.logical_blocks();
    const std::uint64_t end = std::min(media.first_lbn() + run.end() * media.logical_blocks(),
                                       logical);
    if (first >= end) continue;
    const std::string standing = name_of(run.standing);
    if (!timed.stretches.empty() && timed.stretches.back().standing == standing &&
        timed.stretches.back().last_lbn + 1 == first)
      timed.stretches.back().last_lbn = end - 1;
    else
      timed.stretches.push_back({first, end - 1, standing});
  }
  timed.unlocated_sectors *= media.logical_blocks();
  return timed;
}

}  // namespace

FoundMap MapByTiming::none(const std::string& why) {
  layout_ = {};
  layout_.reason = why;
  return {layout_, {"layout: " + why}};
}

// A drive whose order of tracks is not understood would be walked track by track, for days; one of
// 30,000 tracks is walked in ten minutes.
Nanoseconds MapByTiming::deadline_ns() const {
  constexpr double kMuchLonger = 10;  // than such a drive's map takes
  if (how_ == MapByTime::whole) return 0;
  if (context_.deadline_ns > 0) return context_.deadline_ns;
  const scsi::Drive& drive = context_.drive;
  const double bytes = static_cast<double>(drive.blocks()) * drive.block_bytes();
  return context_.drive.now_ns() + from_ms(kMuchLonger * timed_map_s(bytes) * 1e3);
}

FoundMap MapByTiming::find(std::vector<Answer>&) {
  if (how_ == MapByTime::none)
    return none("the drive does not translate addresses, and a map by timing was not wanted");
  timing::MediaTiming media(context_);
  timing::MapperOptions options;
  options.seed = context_.seed;
  options.deadline_ns = deadline_ns();
  options.progress = [this](double share) { context_.report("layout", share); };
  timing::Mapper mapper(media, context_.period_ns(), options);
  try {
    mapper.map();
  } catch (const Error& error) {
    if (error.status() != ExitStatus::unsupported) throw;
    return none(fmt::format("the drive does not translate addresses, and {}", error.what()));
  }
  const std::uint64_t logical = context_.drive.blocks();
  const std::uint64_t mapped = mapper.runs().empty() ? 0 : mapper.runs().back().end();
  constexpr double kEnough = 0.9;  // of the blocks; the rest is guessed, and judged with them
  if (static_cast<double>(mapped) < kEnough * static_cast<double>(media.blocks()))
    return none(
        fmt::format("the drive does not translate addresses, and the time ended when {:.1f} "
                    "% of its blocks were mapped by timing",
                    100.0 * static_cast<double>(mapped) / static_cast<double>(media.blocks())));
  std::vector<timing::Run> runs = timing::without_gaps(
      mapper.runs(),
      (logical - media.first_lbn() + media.logical_blocks() - 1) / media.logical_blocks());
  timing::take_common_skews(runs);
  std::vector<std::uint32_t> ring;
  if (mapper.pattern())
    for (std::size_t place = 0; place < mapper.pattern()->period(); ++place)
      ring.push_back((*mapper.pattern())[place].slots);
  const timing::Surfaces surfaces = timing::surfaces_of(runs, ring);
  layout_ = timing::to_layout(runs, {logical, media.logical_blocks(), media.first_lbn()}, surfaces);
  if (const std::uint64_t nodes = model::count_nodes(layout_); nodes > model::kMostNodes)
    return none(
        fmt::format("the drive does not translate addresses, and what was mapped by timing has so "
                    "little that repeats that it takes {} nodes, more than the {} of a model",
                    nodes, model::kMostNodes));
  say_surfaces(context_.drive, surfaces, layout_);
  layout_.timed = standing_of(runs, media, logical);
  layout_.angle.reason = "angles are measured, but against no index";
  layout_.angle.error = mapper.frame().jitter().sigma_rev;
  layout_.angle.unit = "rev";
  layout_.angle.method = "timing";
  FoundMap found{layout_, {}};
  found.notes.push_back(
      fmt::format("layout: found by timing alone; {} bands of tracks on {} surfaces, as far as "
                  "their order tells",
                  runs.size(), surfaces.heads));
  return found;
}

double MapByTiming::visits() const { return static_cast<double>(kJudged); }

FoundMap MapByTiming::with_angles() {
  timing::MediaTiming media(context_);
  timing::Frame frame(media, context_.period_ns(), media.blocks() / 2);
  timing::Prober prober(media, frame, context_.seed + 1);
  prober.set_deadline(context_.deadline_ns);
  const engine::LayoutMap map(layout_);
  const auto end_rev = [&](std::uint64_t block) {
    const std::uint64_t lbn = media.first_lbn() + (block + 1) * media.logical_blocks() - 1;
    const std::uint64_t slot = map.slot_of_lbn(lbn);
    const engine::Track track = map.track_of_slot(slot);
    return engine::rev_from_angle(map.angle_of_slot(track, slot)) + 1.0 / track.sectors;
  };
  const std::vector<double> offs = timing::offs_of_random_blocks(prober, media.blocks(), kJudged,
                                                                 end_rev);
  if (!layout_.timed) layout_.timed.emplace();
  layout_.timed->blocks = offs.size();
  layout_.timed->shares = timing::shares_of(offs);
  return {layout_, {}};
}

}  // namespace platter::extract

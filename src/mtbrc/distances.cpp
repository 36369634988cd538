#include "mtbrc/distances.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "estimate/samples.h"
#include "mtbrc/access.h"

namespace platter::mtbrc {

std::uint32_t blocks_in_a_turn(Context& context) {
  constexpr std::array kPlaces = {0.04, 0.5, 0.96};  // of the drive's blocks
  constexpr double kTurns = 8, kMostTurns = 24;
  constexpr std::uint32_t kOfOne = 128, kFewest = 16;
  const std::uint64_t all = context.drive.blocks();
  const std::uint32_t each =
      std::min({kOfOne, context.drive.most_blocks(), static_cast<std::uint32_t>(all / 100)});
  Accesses accesses(context);
  double fewest = 0;
  for (const double place : kPlaces) {
    auto lbn = static_cast<std::uint64_t>(place * static_cast<double>(all));
    auto before = accesses.read(estimate::Experiment::other, lbn, 0, each);  // the way there
    double turns = 0;
    std::uint64_t blocks = 0;
    for (int i = 0; before && turns < kTurns && i < kMostTurns * kTurns; ++i) {
      lbn += each;
      if (lbn + each > all || context.drive.leaves_out(lbn, each)) break;
      const auto next = accesses.read(estimate::Experiment::other, lbn, 0, each);
      if (!next) break;
      turns += static_cast<double>(next->completed_ns - before->completed_ns) / context.period_ns();
      blocks += each;
      before = next;
    }
    if (turns < 1) continue;
    const double pace = static_cast<double>(blocks) / turns;
    fewest = fewest > 0 ? std::min(fewest, pace) : pace;
  }
  return std::max(kFewest, static_cast<std::uint32_t>(std::lround(fewest)));
}

std::shared_ptr<const engine::LayoutMap> map_of_distances(std::uint64_t blocks,
                                                          std::uint32_t track_blocks) {
  model::Layout even;
  model::LayoutNode tracks;
  tracks.count = static_cast<std::uint32_t>(blocks / track_blocks);
  tracks.cylinder_step = 1;
  tracks.sectors = track_blocks;
  even.zones.push_back(tracks);
  if (const auto rest = static_cast<std::uint32_t>(blocks % track_blocks); rest > 0) {
    model::LayoutNode last;
    last.count = 1;
    last.cylinder = static_cast<std::int32_t>(tracks.count);
    last.sectors = rest;
    even.zones.push_back(last);
  }
  return std::make_shared<const engine::LayoutMap>(even);
}

}  // namespace platter::mtbrc

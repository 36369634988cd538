#include "mtbrc/displaced_extents.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "estimate/write_seeks.h"
#include "model/stand_ins.h"
#include "mtbrc/access.h"
#include "mtbrc/home_reads.h"

namespace platter::mtbrc {
namespace {

constexpr std::uint64_t kStep_bytes = 8 << 20, kSharp_bytes = 64 << 10;
constexpr std::uint32_t kVotes = 3;

class ExtentSearch {
 public:
  ExtentSearch(Context& context, const model::DriveModel& model)
      : context_(context),
        model_(model),
        home_(context),
        accesses_(context),
        map_(*context.map),
        step_(kStep_bytes / context.drive.block_bytes()),
        lead_rev_(0.05) {}

  std::vector<LbnRange> run() {
    bool goes_on = false;  // an extent, from `began` on
    std::uint64_t began = 0, last = 0, next_report = 0;
    for (std::uint64_t lbn = 0; lbn < map_.blocks(); lbn += step_) {
      if (lbn >= next_report) {
        context_.report("displaced extents",
                        static_cast<double>(lbn) / static_cast<double>(map_.blocks()));
        next_report = lbn + map_.blocks() / 100;
      }
      const std::uint64_t at = passing_next(lbn);
      const auto home = looked_at(at);
      if (!home) continue;
      if (!*home && !goes_on && is_far(at, last)) {
        began = edge(last, at, true);
        goes_on = true;
      }
      if (*home && goes_on) {
        found_.push_back({began, edge(last, at, false) - 1});
        goes_on = false;
      }
      if (*home || goes_on) last = at;
    }
    if (goes_on) found_.push_back({began, map_.blocks() - 1});
    return std::move(found_);
  }

 private:
  // On the track of that block: the sector that comes by when the arm is there.
  std::uint64_t passing_next(std::uint64_t lbn) {
    const engine::Track track = map_.track_of_slot(map_.slot_of_lbn(lbn));
    const double angle_rev = home_.angle_rev(context_.drive.now_ns()) + move_rev(track) +
                             lead_rev_ - engine::rev_from_angle(track.angle);
    at_ = track;
    const double part = angle_rev - std::floor(angle_rev);
    const auto slot = track.first_slot + static_cast<std::uint64_t>(part * track.sectors);
    const auto found = map_.lbn_of_slot(std::min(slot, track.first_slot + track.sectors - 1));
    return found && !map_.is_remapped(*found) ? *found : lbn;
  }

  double move_rev(const engine::Track& to) const {
    const std::int64_t distance = std::int64_t{to.cylinder} - at_.cylinder;
    const double seek_ms = distance == 0 ? 0 : estimate::read_seek(model_, distance).value;
    const double switch_ms = to.head == at_.head ? 0
                                                 : model::acting(model_, model_.head_switch).value;
    return std::max(seek_ms, switch_ms) * 1e6 / context_.period_ns();
  }

  // From a block at home nearby to those behind it and back, it takes never less than to the outer
  // edge: a map with a wrong angle here has none of that.
  bool is_far(std::uint64_t lbn, std::uint64_t home) {
    constexpr int kLooks = 24;
    constexpr double kOfSeek = 0.8, kLeast_ms = 4;
    const engine::Track track = map_.track_of_slot(map_.slot_of_lbn(lbn));
    const double edge_ms = kOfSeek * estimate::read_seek(model_, track.cylinder).value;
    if (track.cylinder == 0 || edge_ms < kLeast_ms) return false;
    for (int i = 0; i < kLooks; ++i) {
      // Each begins at another angle.
      const std::uint64_t from = home >= 211ULL * i ? home - 211ULL * i : home;
      if (!accesses_.probe(estimate::Experiment::other, from)) continue;
      const auto there = accesses_.probe(
          estimate::Experiment::other,
          lbn + std::uint64_t{static_cast<std::uint64_t>(i % 3)} * context_.write_unit());
      if (there && to_ms(there->completed_ns - there->issued_ns) < edge_ms) return false;
    }
    return true;
  }

  // The lead follows what reads take: one that came too late waits for a whole turn.
  std::optional<bool> looked_at(std::uint64_t lbn) {
    constexpr double kLost_rev = 0.8, kMore_rev = 0.01, kLess_rev = 0.0005, kLeast_rev = 0.01;
    const Nanoseconds before_ns = home_.refreshed_ns();
    const auto home = home_.at_home(lbn);
    const double took_rev = static_cast<double>(context_.drive.now_ns() - before_ns) /
                            context_.period_ns();
    lead_rev_ = std::clamp(lead_rev_ + (took_rev > kLost_rev ? kMore_rev : -kLess_rev), kLeast_rev,
                           0.5);
    if (!home || *home) return home;
    return home_.most_at_home(lbn, kVotes, 5);
  }

  // Between a block at home and one that is away, the first that is as the second.
  std::uint64_t edge(std::uint64_t low, std::uint64_t high, bool high_is_away) {
    const std::uint64_t sharp = std::max<std::uint64_t>(
        context_.write_unit(), kSharp_bytes / context_.drive.block_bytes());
    while (high - low > sharp) {
      const std::uint64_t middle = low + (high - low) / 2;
      const bool home = home_.at_home(middle).value_or(!high_is_away);
      (home == high_is_away ? low : high) = middle;
    }
    return high;
  }

  Context& context_;
  const model::DriveModel& model_;
  HomeReads home_;
  Accesses accesses_;
  const engine::LayoutMap& map_;
  std::uint64_t step_;
  double lead_rev_;
  engine::Track at_{};
  std::vector<LbnRange> found_;
};

}  // namespace

std::vector<LbnRange> find_displaced_extents(Context& context, const model::DriveModel& model) {
  return ExtentSearch(context, model).run();
}

}  // namespace platter::mtbrc

// What one timed access tells about the least time it could have taken. The heads reach a sector
// only once a turn, so a completion bounds the time at which the drive was ready for it: after the
// passage before, not after this one. (MTBRC of Worthington et al. 1995 and the DIXtrac paper,
// section 4.2, read as a censored observation, so that each access counts and errors can be
// stated.)
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "engine/layout_map.h"
#include "estimate/samples.h"
#include "model/drive_model.h"
#include "statistics/threshold.h"

namespace platter::estimate {

// The LBN of a slot, if it and the `blocks` from it on lie in a row, none of them elsewhere.
std::optional<std::uint64_t> run_at(const engine::LayoutMap& map, std::uint64_t slot,
                                    std::uint32_t blocks = 1);

// Follows the constant between the end of a sector at the head and the completion at the host,
// which wanders with the spindle and by the error of its period, and what it is more or less for
// writes behind reads, for writes behind writes, and for VERIFYs, which send nothing, which does
// not. Fed with samples in their order; used alike while measuring and afterwards. Where another
// session begins it learns anew, and the constant also where none told of it for so long that it
// may have moved by more than a trial may be off.
class Passages {
 public:
  // The map's angles must be measured. Writes are of so many blocks at least.
  Passages(const engine::LayoutMap& map, const model::Rotation& rotation,
           std::uint32_t write_unit = 1)
      : map_(map), rotation_(rotation), write_unit_(write_unit) {}

  // Takes note of a media access of one sector, or a write of the fewest. The result is from issue
  // to completion less the sectors' own time, in ns, the completion freed of its noise: (time of
  // the passage before, time of this passage]; so tracks of any length are alike. nullopt: the
  // completion is at no passage of that sector (served by a cache, disturbed, or a retry within the
  // revolution), or too little is known yet. Of writes of several blocks only those that take less
  // than a turn teach when they complete: others may have begun in the middle (zero latency).
  std::optional<statistics::CensoredTrial> observe(const Sample& sample);

  // The same of a write of more blocks that lie in a row on one track, less the time that they
  // all take to pass: when their drive was ready to begin with the first. One that begins in their
  // middle and ends a turn later (zero latency) was not ready for it. Changes nothing.
  std::optional<statistics::CensoredTrial> observe_run(const Sample& sample) const;

  // Known well enough to aim.
  bool ready(bool write) const { return known_kind(write, false).has_value(); }
  bool knows_writes_behind_reads() const { return is_known(kind_of(true, false)); }

  using Usable = std::function<bool(std::uint64_t lbn)>;
  struct Target {
    std::uint64_t lbn = 0;
    Nanoseconds late_ns = 0;  // its passage completes so much later than wanted, >= 0
  };
  // The sector of a track whose passage would complete soonest after `time_ns` and the sector's own
  // time; with `blocks` the first of so many in a row; `usable`: which LBNs may be the first.
  // nullopt: the track holds no such LBNs in their own places, or ready() is false.
  std::optional<Target> aim(const engine::Track& track, Nanoseconds time_ns, bool write,
                            std::uint32_t blocks = 1, bool after_write = false,
                            const Usable& usable = {}) const;
  // The same of a READ of one block among VERIFYs; `usable` as there: which LBNs are.
  std::optional<Target> aim_read(const engine::Track& track, Nanoseconds time_ns,
                                 const Usable& usable) const;

  // A late completion pulls the constant no harder than one that is so late.
  static constexpr double kMostPull_rev = 0.005;

  double period_ns() const { return model::revolution_ns(rotation_); }

 private:
  void forget();
  void forget_constant();
  bool is_known(std::size_t kind) const { return constant_known_ && count_[kind] >= kLearn; }
  double may_have_moved_rev(Nanoseconds time_ns) const;
  void learn(std::size_t kind, double seen_rev);
  void follow(std::size_t kind, bool after_write, double residual_rev, double moved_rev);

  static constexpr int kLearn = 4;
  // Reads, writes behind reads, writes behind writes, VERIFYs.
  static constexpr std::size_t kKinds = 4, kReads = 0, kVerifies = 3;
  static std::size_t kind_of(bool write, bool after_write) {
    return !write ? kReads : after_write ? 2 : 1;
  }
  // This kind, or the other kind of write where only that is known. Of what is no write VERIFYs,
  // where there are such.
  std::optional<std::size_t> known_kind(bool write, bool after_write) const;
  std::optional<Target> aim_kind(std::size_t kind, const engine::Track& track, Nanoseconds time_ns,
                                 std::uint32_t blocks, const Usable& usable) const;
  statistics::CensoredTrial trial_of(const Sample& sample, double late_rev, double width_rev) const;
  double constant_of(std::size_t kind) const { return constant_rev_ + offset_rev_[kind]; }
  double begin_rev(std::uint64_t lbn) const;
  // Of the turn that they take to pass; nullopt: they do not lie in a row on one track.
  std::optional<double> width_rev(std::uint64_t lbn, std::uint32_t blocks) const;

  const engine::LayoutMap& map_;
  model::Rotation rotation_;
  std::uint32_t write_unit_;
  // Completion's phase less the angle of the sector's end, of the kind that came first; the others
  // beside.
  std::optional<std::size_t> first_;
  std::vector<double> learned_from_rev_;  // what told of the constant until it was known
  bool constant_known_ = false;
  double constant_rev_ = 0;
  double scatter_rev_ = 0;   // mean of how far completions lay from it
  int followed_ = 0;         // so many have told of it
  Nanoseconds told_ns_ = 0;  // the last one when
  std::array<double, kKinds> offset_rev_{};
  std::array<int, kKinds> count_{};
  std::array<int, kKinds> strangers_{};  // observations in a row that were far from the constant
  std::uint32_t session_ = 0;
};

}  // namespace platter::estimate

// MTBRC trials on a drive: right after one access the next one is aimed at a sector that passes a
// chosen time later; where trials tell most is where the next one is aimed.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "estimate/passages.h"
#include "estimate/samples.h"
#include "mtbrc/access.h"
#include "statistics/threshold.h"

namespace platter::mtbrc {

// The error that a time is worth to be measured to: `least` up to half a millisecond, beyond as
// large a share of it.
inline double worth_ns(double least_ns, double time_ns) {
  constexpr double kShort_ns = 500e3;
  return least_ns * std::max(1.0, time_ns / kShort_ns);
}

// One MTBRC: the time from issue to completion that half of its accesses make, less the sector's
// own.
class Threshold {
 public:
  // `guess_ns`: where it may lie, within about guess_width_ns; only to place the first trials.
  explicit Threshold(double period_ns, std::optional<double> guess_ns = std::nullopt,
                     double guess_width_ns = 0);
  // With what is known of a trial's spread: else trials that scatter little by chance end too soon.
  Threshold(double period_ns, const statistics::ThresholdPrior& prior)
      : period_ns_(period_ns), guess_ns_(prior.guess), prior_(prior), posterior_(prior) {}

  // The time after issue at which the next trial's sector should complete, less its own time.
  Nanoseconds next_ns(std::mt19937_64& random) const;
  void add(const statistics::CensoredTrial& trial);
  std::optional<statistics::Threshold> estimate() const { return posterior_.estimate(); }
  // One standard error; a turn before the first trial.
  double error_ns() const;
  // The same without the guess, which no figure that is stated may lean on.
  double reported_error_ns() const;
  std::size_t trials() const { return trials_.size(); }

 private:
  double period_ns_;
  std::optional<double> guess_ns_;
  statistics::ThresholdPrior prior_;
  statistics::ThresholdPosterior posterior_;
  std::vector<statistics::CensoredTrial> trials_;
};

class Trials {
 public:
  // context.map with angles, context.rotation known.
  explicit Trials(Context& context);

  // Gets the heads to a track, and learns the constant of passages where needed. False: cannot.
  bool go(const engine::Track& track, bool write = false);
  // The same of writes that follow reads, which others can only stand for.
  bool learn_writes_behind_reads(const engine::Track& track);
  // One trial from wherever the last access was to `track`, of so many blocks in a row, else of the
  // fewest. False: the access told nothing.
  bool trial(estimate::Experiment experiment, std::int64_t group, const engine::Track& track,
             bool write, Threshold& threshold, std::optional<std::uint32_t> blocks = std::nullopt);
  // The same of a READ where all others are VERIFYs, of a block that had not been read before.
  bool trial_of_read(estimate::Experiment experiment, const engine::Track& track,
                     Threshold& threshold);
  // One trial whose READ the caller sends, which is no sample of the run.
  bool trial_by(const std::function<std::optional<scsi::Completion>(std::uint64_t lbn)>& read,
                const engine::Track& track, Threshold& threshold);
  const estimate::Passages& passages() const { return passages_; }

 private:
  std::optional<estimate::Sample> access(const engine::Track& track, std::uint32_t index,
                                         bool write);
  std::uint32_t random_index(const engine::Track& track);
  // Whether the experiment may access it: where no command passes the cache, blocks are read once.
  bool usable(std::uint64_t lbn) const { return !context_.reads_once || is_fresh(context_, lbn); }
  bool tell(const std::optional<estimate::Sample>& sample, bool of_several, Threshold& threshold);
  void wait_for(const estimate::Passages::Target& target);

  Context& context_;
  Accesses accesses_;
  estimate::Passages passages_;
};

// Whether the track holds LBNs, none of which is left out.
bool holds_lbns(const Context& context, const engine::Track& track);
// A random one of these; nullopt if none was found.
std::optional<engine::Track> random_track(Context& context);
// The track of the same head so many cylinders further in; nullopt: none there that holds LBNs.
std::optional<engine::Track> neighbour(const Context& context, const engine::Track& from,
                                       std::int64_t distance);
// Tracks of its cylinder that hold LBNs, of the heads beside its own, between which runs of blocks
// switch; of other heads where those hold none.
std::vector<engine::Track> others_of_cylinder(const Context& context, const engine::Track& but);
// The group of a head switch's samples.
std::int64_t pair_of_heads(const engine::Track& from, const engine::Track& to);
// A track anywhere that has a neighbour so far away, in at least one direction.
std::optional<engine::Track> seek_start(Context& context, std::uint32_t distance);

}  // namespace platter::mtbrc

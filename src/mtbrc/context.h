// What every timing experiment is given: the drive, what is known of it so far, where the
// randomness comes from, how much it may spend, and where its raw samples go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "engine/layout_map.h"
#include "estimate/samples.h"
#include "model/drive_model.h"
#include "model/lbn_range.h"
#include "mtbrc/precision.h"
#include "mtbrc/probe.h"
#include "scsi/drive.h"

namespace platter::scsi {
class SeveralCallers;
}

namespace platter::mtbrc {

class TimeWatch;

// What one experiment may use at most; 0 = no limit of that kind.
struct Budget {
  std::uint64_t commands = 0;
  Nanoseconds drive_time_ns = 0;
};

struct Context {
  explicit Context(scsi::Drive& measured, std::uint64_t run_seed = 1)
      : drive(measured), seed(run_seed), random(run_seed) {}

  scsi::Drive& drive;
  const engine::LayoutMap* map = nullptr;  // once known; its angles once measured
  model::Rotation rotation;                // numerator_ns = 0 until measured
  std::uint64_t seed;
  Precision precision = Precision::high;
  std::uint32_t session = 0;  // of the samples that come now
  TimeWatch* time = nullptr;  // that begins another session where time jumps
  std::mt19937_64 random;     // the experiments' only source of randomness
  // Of a drive of several arms: the blocks of each, and how experiments run on all of them at once.
  std::vector<LbnRange> arms;
  scsi::SeveralCallers* callers = nullptr;
  // Stage, and the share of it that is done (0 to 1).
  std::function<void(const std::string& stage, double share)> progress;
  // How one block is reached on the media with the caches off, as far as they go (probe.h).
  Probe probe = Probe::read;
  bool reads_once = false;
  // Blocks behind a read that the drive may have read ahead with the caches off; 0: it does not.
  std::uint32_t read_ahead_reach = 0;
  Budget budget;                // of the next experiment
  Nanoseconds deadline_ns = 0;  // by which all experiments must have ended; 0: none
  estimate::Samples samples;    // raw samples of all experiments, in order

  // The revolution in ns. Rotation must be known.
  double period_ns() const { return model::revolution_ns(rotation); }
  // Blocks of the smallest write: those of a physical block, for of less a drive reads the rest
  // first, and takes a revolution more. All writes are whole physical blocks.
  std::uint32_t write_unit() const { return drive.physical_blocks().logical_blocks(); }
  // Whether anything limits how long the next experiment may take.
  bool limited() const {
    return budget.commands > 0 || budget.drive_time_ns > 0 || deadline_ns > 0;
  }
  // With the caches off, as far as they go, reads may come from one: experiments that need reads
  // choose blocks that are fresh (probe.h).
  bool reads_may_be_cached() const { return probe == Probe::verify || reads_once; }
  void report(const std::string& stage, double share) const {
    if (progress) progress(stage, share);
  }
};

// Of the time until the context's deadline, one experiment may use a share, while this lives.
class PartOfTime {
 public:
  PartOfTime(Context& context, double share) : context_(context), whole_ns_(context.deadline_ns) {
    if (whole_ns_ == 0) return;
    const Nanoseconds now = context.drive.now_ns();
    const Nanoseconds left = std::max<Nanoseconds>(0, whole_ns_ - now);
    context.deadline_ns = now + static_cast<Nanoseconds>(share * static_cast<double>(left));
  }
  ~PartOfTime() { context_.deadline_ns = whole_ns_; }
  PartOfTime(const PartOfTime&) = delete;
  PartOfTime& operator=(const PartOfTime&) = delete;

 private:
  Context& context_;
  Nanoseconds whole_ns_;
};

// How much of a budget is used, counted from its construction; the context's deadline limits it,
// too.
class Meter {
 public:
  explicit Meter(Context& context) : Meter(context, context.budget) {}
  Meter(Context& context, Budget budget)
      : context_(context),
        budget_(budget),
        commands_(context.drive.commands()),
        start_ns_(context.drive.now_ns()) {
    if (context.deadline_ns == 0) return;
    const Nanoseconds left = std::max<Nanoseconds>(1, context.deadline_ns - start_ns_);
    if (budget_.drive_time_ns <= 0 || budget_.drive_time_ns > left) budget_.drive_time_ns = left;
  }

  Nanoseconds elapsed_ns() const { return context_.drive.now_ns() - start_ns_; }
  std::uint64_t commands() const { return context_.drive.commands() - commands_; }
  // Share of the scarcer of the two; at least 1 when nothing is left.
  double share() const {
    const double time = budget_.drive_time_ns <= 0 ? 0.0
                                                   : static_cast<double>(elapsed_ns()) /
                                                         static_cast<double>(budget_.drive_time_ns);
    const double count = budget_.commands == 0 ? 0.0
                                               : static_cast<double>(commands()) /
                                                     static_cast<double>(budget_.commands);
    return time > count ? time : count;
  }
  bool exhausted() const { return share() >= 1.0; }

 private:
  Context& context_;
  Budget budget_;
  std::uint64_t commands_;
  Nanoseconds start_ns_;
};

}  // namespace platter::mtbrc

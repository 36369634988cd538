// The walk over the stages of a run with a drive: each with the caches as it needs them, again
// where the drive lost its settings, went wrong or did not take a write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "extract/fitness.h"
#include "extract/options.h"
#include "extract/rig.h"
#include "extract/run_settings.h"
#include "extract/run_so_far.h"
#include "extract/settings_watch.h"
#include "extract/stages.h"
#include "extract/time_of_run.h"
#include "extract/what_was_written.h"
#include "mtbrc/context.h"
#include "mtbrc/time_watch.h"
#include "scsi/guard.h"

namespace platter::extract {

class StageWalk {
 public:
  // A write that fails takes the permission to write from the options.
  StageWalk(Options& options, scsi::Guard& guard, mtbrc::Context& context, RunSoFar& so_far,
            RunSettings& settings, Fitness& fitness, MapSource& maps, WhatWasWritten& written,
            TimeOfRun& time);
  StageWalk(const StageWalk&) = delete;
  StageWalk& operator=(const StageWalk&) = delete;

  // A drive that was at rest, or off, since the stages that are done.
  void settle_in();
  void walk();

  // After every command: when it came, then whether the stage can go on.
  void timed(const scsi::CommandRecord& done);
  void require_settings(const scsi::CommandRecord& done) { watch_.after(done); }

  Cost cost() const;
  // The first write that failed: what of it.
  const std::optional<std::string>& failed_write() const { return failed_write_; }

 private:
  std::optional<std::string> lacks(Needs needs);  // that keeps a stage from being done
  void measure_rotation_at_the_end();
  void stage(std::size_t index, const Stage& stage);
  void attempt_stage(const Stage& stage);
  void begin_attempt(const Stage& stage);
  // Why it has to begin anew; "": commands had to be shortened; nullopt: it need not.
  std::optional<std::string> attempt_once(const Stage& stage, int attempt);
  std::optional<std::string> lost_settings(const Stage& stage, int attempt);
  void do_parts(const Stage& stage);
  void do_part(const Stage& stage, const Part& part, double share);
  void end_writes();
  void go_on_without_writes(const scsi::WriteFailed& failure);
  void with_failed_writes_seen_to(const std::function<void()>& body);
  void read_last_anchors();
  std::uint64_t commands() const;

  Options& options_;
  scsi::Drive& drive_;
  mtbrc::Context& context_;
  RunSoFar& so_far_;
  RunSettings& settings_;
  Fitness& fitness_;
  WhatWasWritten& written_;
  TimeOfRun& time_;
  Handed handed_;
  Rig rig_;
  SettingsWatch watch_;
  mtbrc::TimeWatch clock_;
  std::optional<std::string> failed_write_;
  std::optional<std::optional<std::string>> prevented_;  // why nothing can be predicted; asked once
};

}  // namespace platter::extract

// The drive time of a run: what is expected of it, told and told anew, and what a budget leaves to
// each stage.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "extract/map_forecast.h"
#include "extract/map_source.h"
#include "extract/options.h"
#include "extract/run_so_far.h"
#include "extract/time_plan.h"
#include "extract/what_was_written.h"
#include "mtbrc/context.h"
#include "scsi/drive.h"

namespace platter::extract {

class TimeOfRun {
 public:
  TimeOfRun(const Options& options, mtbrc::Context& context, RunSoFar& so_far,
            const MapSource& maps, const WhatWasWritten& written)
      : options_(options),
        drive_(context.drive),
        context_(context),
        so_far_(so_far),
        maps_(maps),
        written_(written) {}

  void begin() { began_ns_ = drive_.now_ns(); }
  double elapsed_s() const { return static_cast<double>(drive_.now_ns() - began_ns_) * 1e-9; }
  // The run is announced. Throws Error(usage) where the budget is too short for a model.
  void plan();
  void stage_took(std::size_t index, double took_s);  // announced anew where that shows more
  void expect_angles();
  void expect_rotation_alone() { plan_->expect_rotation_alone(); }
  // Within the time that the budget leaves the stage.
  void limited(std::size_t index, const std::function<void()>& body);
  void report_progress(std::size_t stage, double share, double stage_s);

 private:
  void expect_the_map();
  void expect_shingles();
  void announce(const std::string& what, double seconds);
  void announce_by_map(double share, double stage_s);
  double check_of_writes_s(std::size_t index) const;

  const Options& options_;
  scsi::Drive& drive_;
  mtbrc::Context& context_;
  RunSoFar& so_far_;
  const MapSource& maps_;
  const WhatWasWritten& written_;
  Nanoseconds began_ns_ = 0;
  std::optional<TimePlan> plan_;
  MapForecast map_forecast_;
  double done_share_ = 0, announced_s_ = 0;
};

}  // namespace platter::extract

// How a run shares out the drive time that it was given: stages give up precision in a stated
// order, and never the layout.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "extract/stages.h"
#include "mtbrc/precision.h"

namespace platter::extract {

class TimePlan {
 public:
  // `rpm` nominal; 0: not known. Without a budget every stage takes what it needs.
  TimePlan(double rpm, std::optional<double> budget_s,
           mtbrc::Precision precision = mtbrc::Precision::enough);

  // A stage that was done before this began.
  void leave_out(std::size_t stage) { full_s_[stage] = least_s_[stage] = 0; }
  // What is known of a stage that is to come, better than from its weight: what it takes by itself,
  // and what it is of no use without. Never less than by the weight.
  void expect(std::size_t stage, double full_s, double least_s);

  // Nothing may be written.
  void expect_no_writes();
  // The map of a drive of so many bytes will be found by timing: track by track, not by questions.
  void expect_map_by_timing(double bytes);
  // No map will be found: what comes behind the layout is what needs none, and at the end the
  // rotation once more, sharply.
  void expect_no_map();
  // That is all that is left.
  void expect_rotation_alone();
  // What stages of trials take on a host whose delay scatters so much (noise/host_delay.h), in ms.
  void expect_host(double spread_ms);
  // A stage took so long: the stages of trials behind the seeks go at the seeks' pace.
  void took(std::size_t stage, double seconds);
  // What all of a run takes without a budget, once `stage` is done.
  double forecast_s(std::size_t stage, double elapsed_s) const;

  // What the run is expected to take, in seconds of the drive's time: all of its stages, or the
  // budget; never less than what the stages need at least.
  double expected_s() const;
  double least_s(std::size_t from_stage = 0) const;
  // What a stage may use at most that begins `elapsed_s` into the run; nullopt: as much as it
  // needs. All that come later are left what they need: those that give up earlier than this one,
  // their least; the others, all. Where not even the least of all is left, each has its part of
  // what is.
  std::optional<double> limit_s(std::size_t stage, double elapsed_s) const;
  // What is left of a run that is `elapsed_s` old and has this share of a stage behind it, which
  // took `stage_s` so far.
  double left_s(std::size_t stage, double share, double stage_s, double elapsed_s) const;
  // What it would take by itself.
  double full_s(std::size_t stage) const { return full_s_[stage]; }

 private:
  std::array<double, kStages.size()> full_s_{}, least_s_{};
  std::array<double, kStages.size()> pace_{};  // times full_s_ is what they take with this noise
  std::optional<double> budget_s_;
  double slower_ = 1;  // than the drive that the stages' weights are the seconds of
};

}  // namespace platter::extract

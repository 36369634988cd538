// Runs on a host that sleeps, whose clock steps, or that stands still.
#include "extract/uneven_time.h"

#include <cmath>

#include "catch.h"
#include "extract/estimate.h"
#include "extract/runs.h"
#include "model/json.h"
#include "statistics/circular.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

struct Judged {
  Run run;
  double angles_rms_rev = 0, period_errors = 0;
  std::string again;  // the model of the kept samples
};

Judged measured(const model::Imperfections& uneven) {
  const Folder folder;
  model::DriveModel drive = drive_named("hp-c2247");
  drive.imperfections = virtual_drive::default_imperfections(7);
  model::Imperfections& all = *drive.imperfections;
  all.host_sleep_every_s = uneven.host_sleep_every_s;
  all.host_sleep_s = uneven.host_sleep_s;
  all.clock_step_every_s = uneven.clock_step_every_s;
  all.clock_step_ms = uneven.clock_step_ms;
  all.host_stop_every_s = uneven.host_stop_every_s;
  all.host_stop_s = uneven.host_stop_s;
  virtual_drive::VirtualDevice device(drive);
  Options options = options_in(folder);
  KeptLines kept;
  options.keeper = &kept;
  Judged judged{characterize(device, options), 0, 0, {}};
  const model::DriveModel& model = judged.run.model;
  judged.again = model::to_json_text(extract::estimate(read_lines(kept.whole(judged.run)).record));
  const double truth_ns = model::revolution_ns(drive.rotation);
  judged.period_errors = std::abs(*model.rotation.period.value - truth_ns) /
                         *model.rotation.period.error;
  const engine::LayoutMap found(model.layout);
  const engine::LayoutMap& real = device.layout();
  std::vector<double> off;
  constexpr std::uint64_t kLbns = 500;
  for (std::uint64_t i = 0; i < kLbns; ++i) {
    const std::uint64_t lbn = (found.blocks() - 1) / (kLbns - 1) * i;
    const double apart = engine::rev_from_angle(found.angle_of_lbn(lbn)) -
                         engine::rev_from_angle(real.angle_of_lbn(lbn));
    off.push_back(statistics::wrap_rev(apart - (off.empty() ? 0 : off.front())));
  }
  off.front() = 0;
  double mean = 0, squares = 0;
  for (const double each : off) mean += each / static_cast<double>(off.size());
  for (const double each : off) squares += std::pow(each - mean, 2);
  judged.angles_rms_rev = std::sqrt(squares / static_cast<double>(off.size()));
  return judged;
}

bool has(const Judged& judged, model::Code code) {
  return model::finding_of(judged.run.model.provenance, code) != nullptr;
}

void check_figures(const Judged& judged) {
  INFO((judged.run.ended_by ? judged.run.ended_by->what() : "not ended early"));
  CHECK_FALSE(judged.run.ended_by);
  CHECK(judged.period_errors < 3);
  CHECK(judged.angles_rms_rev < 0.001);
  CHECK_FALSE(has(judged, model::Code::spindle_noisy));
  CHECK_FALSE(has(judged, model::Code::angles_incomplete));
  CHECK_FALSE(has(judged, model::Code::drive_pauses));
  CHECK(judged.again == model::to_json_text(judged.run.model));
}

}  // namespace

TEST_CASE("late answers are the host's where no more came at a passage than do by chance") {
  CHECK_FALSE(LateAnswers{0, 0}.only_by_host());
  CHECK(LateAnswers{0, 1}.only_by_host());
  CHECK(LateAnswers{1, 1}.only_by_host());  // 23 % of the time
  CHECK(LateAnswers{1, 5}.only_by_host());
  CHECK_FALSE(LateAnswers{2, 1}.only_by_host());  // 4 %
  CHECK_FALSE(LateAnswers{5, 10}.only_by_host());
  CHECK_FALSE(LateAnswers{3, 0}.only_by_host());
  const LateAnswers cache{.by_host_of_cache = 1}, both{.by_drive = 1, .by_host_of_cache = 1};
  CHECK(cache.only_by_host());
  CHECK(cache.of_host() == 1);
  CHECK_FALSE(both.only_by_host());
  CHECK(both.of_host() == 0);
}

TEST_CASE("a host that sleeps while a drive is measured is named, and spoils nothing") {
  model::Imperfections uneven;
  uneven.host_sleep_every_s = 25;
  uneven.host_sleep_s = 5;
  const Judged judged = measured(uneven);
  check_figures(judged);
  CHECK(has(judged, model::Code::host_slept));
  CHECK_FALSE(has(judged, model::Code::clock_stepped));
  CHECK_FALSE(has(judged, model::Code::host_stopped));
}

TEST_CASE("a clock that steps while a drive is measured is named, and spoils nothing") {
  model::Imperfections uneven;
  uneven.clock_step_every_s = 10;
  uneven.clock_step_ms = 1;
  const Judged judged = measured(uneven);
  check_figures(judged);
  CHECK(has(judged, model::Code::clock_stepped));
  CHECK_FALSE(has(judged, model::Code::host_slept));
}

TEST_CASE("a process that stands still is told from a drive that pauses") {
  model::Imperfections uneven;
  uneven.host_stop_every_s = 10;
  uneven.host_stop_s = 3;
  const Judged judged = measured(uneven);
  check_figures(judged);
  CHECK(has(judged, model::Code::host_stopped));
  CHECK_FALSE(has(judged, model::Code::clock_stepped));
}

}  // namespace platter::extract

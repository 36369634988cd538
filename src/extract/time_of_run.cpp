#include "extract/time_of_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "estimate/host.h"
#include "extract/map_by_timing.h"
#include "extract/prospects.h"
#include "extract/stages.h"
#include "model/error.h"
#include "mtbrc/displaced_extents.h"
#include "scsi/reply.h"

namespace platter::extract {
namespace {

constexpr std::size_t kShows = stage_named("seeks");  // in which blocks are rewritten in place

// A drive that does not translate addresses says so at once; that takes nothing of its media.
bool may_translate(scsi::Drive& drive) {
  try {
    return drive.addresses().translates();
  } catch (const scsi::DriveError&) {
    return true;  // of this try
  }
}

}  // namespace

// By the speed that the drive says it has; what it says wrong shows in the first stages.
void TimeOfRun::plan() {
  plan_.emplace(nominal_speed(drive_).rpm, options_.budget_s, options_.precision);
  if (options_.writable.empty()) plan_->expect_no_writes();
  for (std::size_t done = 0; done < so_far_.session.stages_before; ++done) plan_->leave_out(done);
  expect_the_map();
  constexpr double kWakes_s = 120, kLeastWakes_s = 60;  // Chosen: of all five conditions
  if (options_.power) plan_->expect(kPower, kWakes_s, kLeastWakes_s);
  expect_shingles();
  if (options_.budget_s && *options_.budget_s < plan_->least_s())
    throw Error(
        ExitStatus::usage,
        fmt::format("a budget of {:.0f} s is too short for a model of {}: give it {:.0f} s at "
                    "least, or no --budget",
                    *options_.budget_s, options_.device_name, std::ceil(plan_->least_s())));
  announce(options_.resumed ? "expected drive time of what was left to do" : "expected drive time",
           plan_->expected_s());
}

// Of a drive that says that it is shingled, or showed it. What fills the media cache comes besides:
// nobody knows how much that takes.
void TimeOfRun::expect_shingles() {
  const bool is = so_far_.record.facts.shingling ||
                  so_far_.record.identity.zones == "device-managed";
  if (!is || options_.shingles == MeasureShingles::recognize) return;
  constexpr double kBands_s = 600, kOfAll = 0.1;
  const double displaced_s =
      mtbrc::displaced_extents_s(static_cast<double>(drive_.blocks()) * drive_.block_bytes());
  plan_->expect(kQueue, displaced_s + (options_.writable.empty() ? 0 : kBands_s),
                kOfAll * displaced_s);
}

void TimeOfRun::expect_the_map() {
  if (so_far_.session.stages_before > kLayout) {
    if (!so_far_.found.map) plan_->expect_no_map();
    return;
  }
  if (!so_far_.record.facts.answers.empty() || may_translate(drive_)) return;
  if (options_.map_by_time == MapByTime::none)
    plan_->expect_no_map();
  else
    plan_->expect_map_by_timing(static_cast<double>(drive_.blocks()) * drive_.block_bytes());
}

void TimeOfRun::announce(const std::string& what, double seconds) {
  announced_s_ = seconds;
  so_far_.note(fmt::format("{}: about {:.0f} s", what, seconds));
  if (options_.expected) options_.expected(seconds);
}

// What is expected of the whole run once the layout is known, and again where a later stage shows
// that to be wrong.
void TimeOfRun::stage_took(std::size_t index, double took_s) {
  constexpr double kWrong = 1.25;
  const bool has_map = so_far_.found.map != nullptr;
  if (index == kLayout && !has_map) plan_->expect_no_map();
  if (index == kShows) expect_shingles();
  if (options_.budget_s || index < kLayout) return;
  if (!has_map && index != kLayout) return;
  if (index == kLayout && has_map) {
    expect_angles();
    if (const auto host = estimate::host_delay(context_.samples))
      plan_->expect_host(host->spread_ms());
  }
  plan_->took(index, took_s);
  const double seconds = plan_->forecast_s(index, elapsed_s());
  const double apart = seconds / announced_s_;
  if (index == kLayout && has_map)
    announce("expected drive time since the layout is known", seconds);
  else if (!has_map && (apart > kWrong || apart < 1 / kWrong))
    announce("expected drive time since no map was found", seconds);
  else if (apart > kWrong || apart < 1 / kWrong)
    announce(fmt::format("expected drive time since the stage '{}'", kStages[index].name), seconds);
}

// What reading back takes at the end, of what has been written so far and of the self-validation's
// writes, all of which lie apart.
double TimeOfRun::check_of_writes_s(std::size_t index) const {
  constexpr double kSeek_s = 0.002, kOfTurn = 0.9;
  constexpr std::size_t kValidationWrites = 150;
  const auto reads = written_.reads_of_check();
  if (options_.writable.empty() || !reads || so_far_.found.rotation.numerator_ns == 0) return 0;
  const double read_s = kSeek_s + kOfTurn * context_.period_ns() * 1e-9;
  return read_s * static_cast<double>(*reads + (index <= kSelfValidation ? kValidationWrites : 0));
}

void TimeOfRun::limited(std::size_t index, const std::function<void()>& body) {
  const Nanoseconds began_ns = drive_.now_ns();
  const auto limit_s = plan_->limit_s(index, elapsed_s() + check_of_writes_s(index));
  if (limit_s) context_.deadline_ns = began_ns + std::max<Nanoseconds>(1, from_ms(*limit_s * 1e3));
  body();
  context_.deadline_ns = 0;
  if (!limit_s) return;
  const double took_s = static_cast<double>(drive_.now_ns() - began_ns) * 1e-9;
  constexpr double kAllOfIt = 0.97;
  if (*limit_s < plan_->full_s(index) || took_s > kAllOfIt * *limit_s)
    so_far_.note(fmt::format("the budget left {:.1f} s of about {:.1f} s for the stage '{}'",
                             *limit_s, std::max(plan_->full_s(index), *limit_s),
                             kStages[index].name));
}

// What the map says of it.
void TimeOfRun::expect_angles() {
  constexpr double kOfVisits = 0.55;  // of the stage's time; the rest tells tracks' lengths, and
                                      // checks
  constexpr double kTurns = 1.3, kComfortable = 4;
  const double least_s = maps_.visits() * kTurns * context_.period_ns() * 1e-9 / kOfVisits;
  plan_->expect(kAngles, kComfortable * least_s, least_s);
  const double needs_s = elapsed_s() + plan_->least_s(kAngles);
  if (options_.budget_s && *options_.budget_s < needs_s)
    so_far_.note(
        {model::Code::budget_too_short,
         fmt::format("the budget of {:.0f} s is too short for this drive's map of {} zones: every "
                     "stage has less than it needs at least, for which {:.0f} s would be enough",
                     *options_.budget_s, maps_.zones(), std::ceil(needs_s))});
}

// By what was met of the map so far.
void TimeOfRun::announce_by_map(double share, double stage_s) {
  if (options_.budget_s || !plan_) return;
  const auto left_s = map_forecast_.left_s(share, stage_s);
  if (!left_s) return;
  constexpr double kEarly = 0.1, kWrong = 1.25;  // until then it is told anyhow
  const double seconds = plan_->forecast_s(kLayout, elapsed_s() + *left_s + kTimedSurfaces_s);
  const double apart = seconds / announced_s_;
  if (share >= kEarly && apart < kWrong && apart > 1 / kWrong) return;
  announce(fmt::format("expected drive time since {:.0f} % of the map", 100 * share), seconds);
}

void TimeOfRun::report_progress(std::size_t stage, double share, double stage_s) {
  if (stage == kLayout) announce_by_map(share, stage_s);
  if (!options_.progress || !plan_) return;
  const double left_s = plan_->left_s(stage, share, stage_s, elapsed_s());
  // What is left may turn out to be more; nobody likes to see less done.
  done_share_ = std::max(done_share_, elapsed_s() / (elapsed_s() + left_s));
  options_.progress(std::string(kStages[stage].name), done_share_, left_s);
}

}  // namespace platter::extract

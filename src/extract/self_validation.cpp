#include "extract/self_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "engine/layout_map.h"
#include "estimate/samples.h"
#include "extract/suspects.h"
#include "extract/uneven_time.h"
#include "extract/unexplained.h"
#include "model/error.h"
#include "model/interruption.h"
#include "model/quality.h"
#include "model/stand_ins.h"
#include "model/understood.h"
#include "model/validate.h"
#include "mtbrc/probe.h"
#include "mtbrc/time_watch.h"
#include "replay/compare.h"
#include "replay/replay_model.h"
#include "replay/stated_demerit.h"
#include "scsi/drive.h"
#include "scsi/read_blocks.h"
#include "statistics/distribution.h"
#include "statistics/robust.h"
#include "trace/workload.h"

namespace platter::extract {
namespace {

constexpr const char* kRandom = "random";
constexpr const char* kMixed = "mixed";
constexpr std::uint64_t kMoreValidationRequests = 400;  // at high precision
constexpr std::size_t kWarming = 10;  // of so many mixed requests one fills the cache and judges
                                      // nothing
constexpr std::size_t kUnknownBefore = 1;  // where the arm stood before the first no model knows
constexpr double kSharesOfWrites = 1.0 / 3;
constexpr std::uint64_t kLongestRequest = 64;  // blocks; no request of the workload is longer

// Random requests follow one another closely: what they tell is where the media are. The mixed ones
// are as far apart as those that a model is validated by (DIXtrac paper, section 6.2: about 36 ms
// from one to the next), for what a cache does in a pause shows only then.
Nanoseconds mean_think_ns(std::string_view workload) {
  return workload == kMixed ? 30 * kMillisecond : kMillisecond / 2;
}

trace::Trace trace_like(const char* workload, const model::Identity& drive, std::uint64_t requests,
                        std::uint64_t seed, const std::vector<LbnRange>& writable) {
  trace::Profile profile = trace::profile(workload);
  profile.times = {
      .kind = trace::Kind::closed, .gap = trace::Gap::uniform, .mean_ns = mean_think_ns(workload)};
  std::vector<LbnRange> roomy;  // ranges that hold the longest request
  for (const LbnRange& range : writable)
    if (range.last - range.first >= kLongestRequest) roomy.push_back(range);
  return trace::generate({.profile = profile,
                          .blocks = drive.blocks,
                          .block_bytes = drive.block_bytes,
                          .requests = requests,
                          .seed = seed,
                          .reads_only = roomy.empty(),
                          .writes = roomy});
}

// What one random request takes with its think time, as the model has it.
double random_request_ns(const model::DriveModel& model, std::uint64_t seed) {
  const trace::Trace trace = trace_like(kRandom, model.identity, kFewestValidationRequests, seed,
                                        {});
  const replay::Result result = replay::replay_on_model(
      model, trace, {.caches = replay::Caches::off, .reference_reads = 0});
  return static_cast<double>(result.requests.back().completion_ns()) /
         static_cast<double>(result.requests.size());
}

trace::Trace trace_of(const replay::Result& drive) {
  trace::Trace trace;
  trace.kind = trace::Kind::closed;
  for (const replay::Response& request : drive.requests)
    trace.requests.push_back(
        {.lbn = request.lbn, .blocks = request.blocks, .write = request.write});
  for (std::size_t i = 0; i + 1 < drive.requests.size(); ++i)
    trace.requests[i].think_ns = std::max<Nanoseconds>(
        0, drive.requests[i + 1].issue_ns - drive.requests[i].completion_ns());
  return trace;
}

// Reads of all that a later request writes learned its contents: they are none of the workload, and
// judge nothing. Of each request whether it is of the workload.
std::vector<bool> of_workload(const std::vector<replay::Response>& requests) {
  std::vector<bool> result(requests.size(), true);
  std::vector<LbnRange> writes;
  for (std::size_t i = requests.size(); i-- > 0;) {
    const replay::Response& request = requests[i];
    const LbnRange all{request.lbn, request.lbn + request.blocks - 1};
    result[i] = request.write || std::ranges::none_of(writes, [&all](const LbnRange& write) {
                  return write.first <= all.first && all.last <= write.last;
                });
    if (request.write) writes.push_back(all);
  }
  return result;
}

std::size_t count_of(const std::vector<bool>& of_workload) {
  return static_cast<std::size_t>(std::ranges::count(of_workload, true));
}

// Without the others.
replay::Result workload_of(const replay::Result& result, const std::vector<bool>& of_it) {
  replay::Result kept = result;
  kept.requests.clear();
  for (std::size_t i = 0; i < result.requests.size(); ++i)
    if (of_it[i]) kept.requests.push_back(result.requests[i]);
  return kept;
}

// What was measured, and the model's answers to it: in its own time, where a model that is late
// once is not late for all requests behind, and in the drive's, where the platter's phase runs
// free.
class Trial {
 public:
  explicit Trial(const replay::Result& drive)
      : drive_(drive),
        trace_(trace_of(drive)),
        caches_(replay::caches_of(drive.caches)),
        of_workload_(of_workload(drive.requests)) {}

  replay::Result in_own_time(const model::DriveModel& model) const {
    return replay::replay_on_model(model, trace_, {.caches = caches_, .reference_reads = 0});
  }
  replay::Result in_drives_time(const model::DriveModel& model) const {
    return replay::replay_on_model(model, trace_, {.caches = caches_, .like = &drive_});
  }
  // Absolute errors of the responses of the first `count` requests, in ms.
  std::vector<double> errors_ms(const model::DriveModel& model, std::size_t count) const {
    const replay::Result answered = in_own_time(model);
    std::vector<double> errors(count);
    for (std::size_t i = 0; i < count; ++i)
      errors[i] =
          std::abs(to_ms(answered.requests[i].response_ns - drive_.requests[i].response_ns));
    return errors;
  }
  struct Answers {
    replay::Result in_own_time, in_drives_time;
  };
  Answers answers(const model::DriveModel& model) const {
    return {in_own_time(model), in_drives_time(model)};
  }
  replay::ClassMetrics judged(const Answers& answers, std::uint64_t from) const {
    const auto before = std::count(
        of_workload_.begin(), of_workload_.begin() + static_cast<std::ptrdiff_t>(from) - 1, true);
    const replay::Comparing part{.from = static_cast<std::uint64_t>(before) + 1};
    const replay::Result drive = workload_of(drive_, of_workload_);
    const auto of = [&](const replay::Result& model) {
      return replay::compare(drive, workload_of(model, of_workload_), part).classes.front();
    };
    replay::ClassMetrics all = of(answers.in_own_time);
    all.folded_phase_share = of(answers.in_drives_time).folded_phase_share;
    return all;
  }
  const replay::Result& drive() const { return drive_; }
  const std::vector<bool>& of_the_workload() const { return of_workload_; }
  std::size_t count() const { return count_of(of_workload_); }

 private:
  const replay::Result& drive_;
  trace::Trace trace_;
  replay::Caches caches_;
  std::vector<bool> of_workload_;
};

// A constant that is missing from, or too much in, the times from command to media. Too short a
// time costs nothing until a request catches its sector a revolution too early: so it shows in
// whole revolutions, in a share of the requests.
void shift(model::Overheads& overheads, double by_ms) {
  for (model::Parameter* overhead :
       {&overheads.read_miss_after_read, &overheads.read_miss_after_write})
    if (*overhead && *overhead->value + by_ms >= 0) *overhead->value += by_ms;
}

struct Shift {
  double by_ms = 0, error_ms = 0;
  double left_ms = 0;  // what most requests are then off by at most
  statistics::Estimate gain_ms{};
};

// Whether the overhead can have been wrong by so much: with it right most requests are in phase.
bool can_be_shifted(const model::Overheads& overheads, const Shift& shift, double period_ms) {
  constexpr double kInPhase_rev = 1.0 / 32;  // as docs/metrics.md counts it
  const model::Parameter& overhead = overheads.read_miss_after_read;
  return shift.by_ms < period_ms / 4 && overhead && *overhead.value + shift.by_ms >= 0 &&
         shift.left_ms < kInPhase_rev * period_ms;
}

constexpr double kGainSigmas = 3;

// The constant with the smallest mean absolute error over the learned requests; its error is how
// far it can be changed until that error grows by its standard error.
Shift best_shift(const Trial& trial, const model::DriveModel& model, std::size_t learned,
                 double period_ms) {
  const auto errors_with = [&](double by_ms) {
    model::DriveModel other = model;
    shift(other.overheads, by_ms);
    return trial.errors_ms(other, learned);
  };
  const std::vector<double> as_it_is = errors_with(0);
  Shift best;
  std::vector<double> best_errors = as_it_is;
  std::vector<std::pair<double, std::vector<double>>> tried;
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  for (double width_ms = period_ms / 4, middle_ms = 0; width_ms > period_ms / 1000; width_ms /= 4) {
    for (int step = -4; step <= 4; ++step) {
      const double by_ms = middle_ms + width_ms * step / 4;
      tried.emplace_back(by_ms, errors_with(by_ms));
      if (mean(tried.back().second) >= mean(best_errors)) continue;
      best.by_ms = by_ms;
      best_errors = tried.back().second;
    }
    middle_ms = best.by_ms;
  }
  for (const auto& [by_ms, errors] : tried) {
    const statistics::Estimate worse = statistics::mean_difference(errors, best_errors);
    if (worse.value <= worse.error)
      best.error_ms = std::max(best.error_ms, std::abs(by_ms - best.by_ms));
  }
  best.gain_ms = statistics::mean_difference(as_it_is, best_errors);
  best.left_ms = statistics::median(best_errors);
  return best;
}

// A zone whose accesses are all early or late beside those of the others is turned, as far as its
// angle's error allows it; the zone is that of the first block.
constexpr std::size_t kFewestOfZone = 6;
constexpr double kAngleSigmas = 4, kLeastAngle_rev = 0.01;
constexpr double kMedianError = 1.2533;  // of a Gaussian's median, beside that of its mean

std::size_t turn_zones(const Trial& trial, std::size_t learned, double period_ns,
                       model::DriveModel& model) {
  const replay::Result answered = trial.in_drives_time(model);
  const engine::LayoutMap map(model.layout);
  const std::vector<std::uint64_t> starts = model::zone_starts(model.layout);
  std::vector<std::vector<double>> late_rev(model.layout.zones.size());
  for (std::size_t i = 0; i < learned; ++i) {
    const replay::Response &ours = answered.requests[i], &theirs = trial.drive().requests[i];
    if (ours.write) continue;  // their settle has a bias of its own
    const double late_ns = std::remainder(
        static_cast<double>(ours.completion_ns() - theirs.completion_ns()), period_ns);
    const auto zone = std::ranges::upper_bound(starts, map.slot_of_lbn(ours.lbn)) - starts.begin();
    late_rev[static_cast<std::size_t>(zone - 1)].push_back(late_ns / period_ns);
  }
  // The spread is that of all zones: a few accesses do not tell their own.
  std::vector<double> middles_rev, about_rev;
  for (const std::vector<double>& late : late_rev) {
    if (late.size() < kFewestOfZone) continue;
    middles_rev.push_back(statistics::median(late));
    for (const double each : late) about_rev.push_back(each - middles_rev.back());
  }
  const double usual_rev = statistics::median(middles_rev);
  const double spread_rev = statistics::mad_sigma(about_rev);
  std::size_t turned = 0;
  for (std::size_t z = 0; z < late_rev.size(); ++z) {
    if (late_rev[z].size() < kFewestOfZone) continue;
    const double off_rev = statistics::median(late_rev[z]) - usual_rev;
    const double error_rev = kMedianError * spread_rev /
                             std::sqrt(static_cast<double>(late_rev[z].size()));
    if (std::abs(off_rev) < std::max(kLeastAngle_rev, kAngleSigmas * error_rev)) continue;
    // An angle that is known is not what makes them late.
    const double known_rev = model.layout.zones[z].angle_error_rev.value_or(0.5);
    if (std::abs(off_rev) > kAngleSigmas * std::hypot(error_rev, known_rev)) continue;
    // Nearly all of them, not some that are late for another reason.
    constexpr double kNearlyAll = 0.8;
    const auto alike = std::ranges::count_if(late_rev[z], [&](double late) {
      return std::abs(late - usual_rev - off_rev) < std::abs(off_rev) / 2;
    });
    if (static_cast<double>(alike) < kNearlyAll * static_cast<double>(late_rev[z].size())) continue;
    double& angle_rev = model.layout.zones[z].angle_rev;
    angle_rev -= off_rev;
    angle_rev -= std::floor(angle_rev);
    ++turned;
  }
  return turned;
}

// By the first requests, so many. What was corrected, in words; empty: nothing.
model::Notes correct(const Trial& trial, std::size_t learned, model::DriveModel& model) {
  const double period_ns = model::revolution_ns(model.rotation);
  model::Notes notes;
  if (const std::size_t zones = turn_zones(trial, learned, period_ns, model))
    notes.emplace_back(
        fmt::format("the angles of {} zones were corrected by the self-validation", zones));
  const Shift found = best_shift(trial, model, learned, period_ns * 1e-6);
  if (found.gain_ms.value <= kGainSigmas * found.gain_ms.error) return notes;
  if (!can_be_shifted(model.overheads, found, period_ns * 1e-6)) {
    notes.emplace_back(
        model::Code::overheads_refuted,
        fmt::format("responses would be predicted better by {:.3f} ms if the overheads of read "
                    "misses were {:.3f} ms "
                    "more, which they cannot be: something else is wrong in this model",
                    found.gain_ms.value, found.by_ms));
    return notes;
  }
  shift(model.overheads, found.by_ms);
  for (model::Parameter* overhead :
       {&model.overheads.read_miss_after_read, &model.overheads.read_miss_after_write}) {
    if (!*overhead) continue;
    overhead->error = std::hypot(overhead->error.value_or(0), found.error_ms);
    overhead->method += ", corrected by the self-validation";
  }
  notes.emplace_back(
      fmt::format("the overheads of read misses were corrected by {:.3f} ms: the mean absolute "
                  "error of the {} "
                  "requests learned from falls by {:.3f} +- {:.3f} ms",
                  found.by_ms, learned, found.gain_ms.value, found.gain_ms.error));
  return notes;
}

// What the model has against itself, where its host's delays are others: demerits of as many
// requests as a demerit is stated for.
std::vector<double> floors_ms(const char* workload, const model::DriveModel& model,
                              replay::Caches caches) {
  constexpr std::uint64_t kTimes = 6;
  const trace::Trace trace = trace_like(workload, model.identity, replay::kStatedRequests, 1, {});
  std::vector<std::vector<double>> times;
  for (std::uint64_t i = 0; i < kTimes; ++i) {
    const replay::Result answered = replay::replay_on_model(
        model, trace, {.caches = caches, .reference_reads = 0, .delay_seed = i + 1});
    std::vector<double> mine;
    for (const replay::Response& one : answered.requests) mine.push_back(to_ms(one.response_ns));
    std::sort(mine.begin(), mine.end());
    times.push_back(std::move(mine));
  }
  std::vector<double> floors;
  for (std::size_t i = 1; i < times.size(); ++i)
    floors.push_back(statistics::demerit(times[i - 1], times[i]));
  return floors;
}

// What judges of the drive's and the model's answers, these in the drive's time; from request
// `from` on, counted from 1.
std::vector<replay::Answered> judging(const Trial& trial, const replay::Result& answers,
                                      std::size_t from) {
  const std::vector<replay::Answered> all = replay::answered(trial.drive(), answers, from - 1);
  std::vector<replay::Answered> result;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (trial.of_the_workload()[from - 1 + i]) result.push_back(all[i]);
  return result;
}

replay::StatedDemerit stated_by(const Trial& trial, const std::vector<replay::Answered>& requests,
                                const model::DriveModel& model, const std::vector<double>& floors) {
  return replay::stated_demerit(requests, floors, model::revolution_ns(model.rotation) * 1e-6,
                                trial.drive().requests.size());
}

model::Demerit demerit_of(const char* workload, const Trial& trial, const model::DriveModel& model,
                          const Trial::Answers& answers, std::size_t from) {
  const replay::Result& drive = trial.drive();
  const replay::ClassMetrics all = trial.judged(answers, from);
  const std::vector<double> floors = floors_ms(workload, model, replay::caches_of(drive.caches));
  const replay::StatedDemerit stated = stated_by(
      trial, judging(trial, answers.in_drives_time, from), model, floors);
  return {.workload = model::within_the_run(workload),
          .requests = all.n_drive,
          .drive_mean_ms = all.mean_drive_ms,
          .demerit_ms = stated.ms,
          .demerit_percent = 100 * stated.ms / all.mean_drive_ms,
          .folded_phase_share = all.folded_phase_share.value_or(0),
          .hits_agreed_share = all.hits_agreed_share.value_or(0),
          .error_ms = stated.error_ms,
          .floor_ms = stated.floor_ms,
          .phase_requests = all.phase_n};
}

// A model that is off by more than this of the mean, beyond its floor, says so; also one that by
// its error, for so few requests tell no better, may be farther off than a good one
// (model/quality.h).
constexpr double kTooFar = 0.02, kMixedMayBe = 0.05;

std::optional<std::string> above_floor(const char* workload, const model::Demerit& demerit) {
  const double above_ms = demerit.demerit_ms - demerit.floor_ms.value_or(0);
  const double allowed_ms = kTooFar * demerit.drive_mean_ms;
  const bool sure = above_ms > allowed_ms;
  const double may_be = std::string_view(workload) == kMixed ? kMixedMayBe : kTooFar;
  if (!sure && above_ms + demerit.error_ms.value_or(0) <= may_be * demerit.drive_mean_ms)
    return std::nullopt;
  const double percent = 100 / demerit.drive_mean_ms;
  return fmt::format("of {} requests the demerit of {:.1f} +- {:.1f} % {}", workload,
                     demerit.demerit_ms * percent, demerit.error_ms.value_or(0) * percent,
                     sure ? fmt::format("is {:.1f} % above its floor", above_ms * percent)
                          : fmt::format("may be more than {:.0f} % above its floor", 100 * may_be));
}

void widen(model::Validity& validity, const replay::Result& drive) {
  if (validity.max_blocks == 0) validity.min_blocks = ~std::uint32_t{0};
  for (const replay::Response& request : drive.requests) {
    validity.min_blocks = std::min(validity.min_blocks, request.blocks);
    validity.max_blocks = std::max(validity.max_blocks, request.blocks);
    (request.write ? validity.writes : validity.reads) = true;
  }
}

// `from`: the first request that judges, counted from 1.
void add_validity(const Trial& trial, std::size_t from, model::DriveModel& model,
                  model::Notes& notes) {
  const replay::Result& drive = trial.drive();
  model::Validity& validity = model.validity;
  validity = {};
  validity.last_lbn = model::last_understood_lbn(model.layout, model.identity.blocks);
  validity.max_depth = 1;
  widen(validity, drive);
  const Trial::Answers answers = trial.answers(model);
  validity.demerits.push_back(demerit_of(kRandom, trial, model, answers, from));
  validity.note = fmt::format(
      "checked in the run that measured it, caches {}, by the requests that nothing "
      "was learned from",
      replay::caches_of(drive.caches) == replay::Caches::forced ? "bypassed with FUA"
      : replay::caches_of(drive.caches) == replay::Caches::off
          ? "off"
          : "on, by reads of what was in none");
  const double period_ms = model::revolution_ns(model.rotation) * 1e-6;
  const engine::LayoutMap map(model.layout);
  if (const auto remains = what_remains(drive, answers.in_drives_time, map, from - 1, period_ms))
    notes.emplace_back(model::Code::off_by_revolutions, *remains);
  auto above = above_floor(kRandom, validity.demerits.back());
  if (!above) return;
  if (const auto found = suspects(drive, answers.in_drives_time, model, map, from - 1);
      !found.empty())
    *above += fmt::format("; suspect: {}", fmt::join(found, ", "));
  notes.emplace_back(model::Code::random_above_floor, *above);
}

// Of all physical blocks that it would write to; of as many of them as one command takes.
void make_whole(trace::Request& request, scsi::Drive& drive) {
  const scsi::PhysicalBlocks& physical = drive.physical_blocks();
  const LbnRange whole = physical.covering(request.lbn, request.blocks);
  request.lbn = whole.first;
  request.blocks = std::min(static_cast<std::uint32_t>(whole.last - whole.first + 1),
                            physical.rounded_down(drive.most_blocks()));
}

// Where reads may come from a cache that stays on, those of blocks that are to be read before it.
struct Places {
  bool fresh = false;
  scsi::ReadBlocks taken = {};
};

// A read of blocks that are left out goes elsewhere: no write does, which is of permitted ones.
// False: there is no place for it.
bool find_place(trace::Request& request, mtbrc::Context& context, Places& places) {
  const scsi::Drive& drive = context.drive;
  constexpr int kTries = 10'000;
  for (int i = 0; i < kTries; ++i) {
    const LbnRange all{request.lbn, request.lbn + request.blocks - 1};
    if (!drive.leaves_out(request.lbn, request.blocks) &&
        (!places.fresh ||
         (mtbrc::is_fresh(context, request.lbn, request.blocks) && !places.taken.any_of(all)))) {
      if (places.fresh) places.taken.add(all);
      return true;
    }
    request.lbn = context.random() % (drive.blocks() - request.blocks + 1);
  }
  return false;
}

// Where steps of the clock were seen, whether there was another one. What is read for it are
// requests like others. Behind a jump of time none follows from the one before.
void look_at_time(mtbrc::Context& context, replay::Result& result) {
  if (context.time == nullptr || !context.time->has_stepped()) return;
  const std::size_t before = context.samples.size();
  const std::uint32_t session = context.session;
  if (!context.time->look()) return;
  if (context.session != session) return result.requests.clear();
  for (std::size_t i = before; i < context.samples.size(); ++i) {
    const estimate::Sample& read = context.samples[i];
    result.requests.push_back({.lbn = read.lbn,
                               .blocks = read.blocks,
                               .due_ns = read.issued_ns,
                               .issue_ns = read.issued_ns,
                               .response_ns = read.completed_ns - read.issued_ns});
  }
}

// As many as fit into the time, each at a place that the experiment may access.
trace::Trace requests_in_time(const char* workload, mtbrc::Context& context,
                              const model::DriveModel& model, const SelfValidationOptions& options,
                              bool fresh, std::uint64_t fewest, std::uint64_t round) {
  scsi::Drive& drive = context.drive;
  // Before a write its blocks are read: of the time of three requests, one of which is a write, a
  // quarter.
  const double each_ns = random_request_ns(model, context.seed) *
                             (options.writable.empty() ? 1 : 1 + kSharesOfWrites) +
                         static_cast<double>(mean_think_ns(workload) - mean_think_ns(kRandom));
  Nanoseconds time_ns = options.drive_time_ns;
  if (context.deadline_ns > 0)
    time_ns = std::min(time_ns, std::max<Nanoseconds>(0, context.deadline_ns - drive.now_ns()));
  const auto fitting = static_cast<std::uint64_t>(static_cast<double>(time_ns) / each_ns);
  // What the first round left open is less than what it told.
  const std::uint64_t all = std::max(fitting, context.deadline_ns > 0 ? std::uint64_t{1} : fewest);
  trace::Trace trace = trace_like(workload, model.identity,
                                  round == 0 ? all : std::max<std::uint64_t>(all / 3, 1),
                                  context.seed + round, options.writable);
  Places places{fresh};
  std::erase_if(trace.requests, [&](trace::Request& request) {
    request.blocks = std::min(request.blocks, drive.most_blocks());
    if (!request.write) return !find_place(request, context, places);
    make_whole(request, drive);
    return false;
  });
  return trace;
}

replay::Response response_of(const trace::Request& request, const scsi::Completion& done) {
  return {.lbn = request.lbn,
          .blocks = request.blocks,
          .write = request.write,
          .due_ns = done.issued_ns,
          .issue_ns = done.issued_ns,
          .response_ns = done.response_ns()};
}

// What lies where is to be written is read before, from the drive's beginning to its end; what the
// drive cannot read is left out. These reads are in the result: they move the arm, and the cache
// holds what they read.
std::vector<trace::Request> with_known_contents(const trace::Trace& trace, scsi::Drive& drive,
                                                const mtbrc::Meter& meter, replay::Result& result) {
  std::vector<std::size_t> writes;
  std::vector<bool> known(trace.requests.size(), true);
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    if (!trace.requests[i].write) continue;
    writes.push_back(i);
    known[i] = false;
  }
  std::ranges::sort(writes, {}, [&](std::size_t i) { return trace.requests[i].lbn; });
  for (const std::size_t i : writes) {
    if (meter.exhausted()) break;
    const trace::Request& request = trace.requests[i];
    try {
      for (const auto& [lbn, blocks, done] : drive.learn_contents(request.lbn, request.blocks))
        result.requests.push_back(response_of({.lbn = lbn, .blocks = blocks}, done));
      known[i] = true;
    } catch (const scsi::DriveError& error) {
      if (!error.may_do_elsewhere()) throw;
    }
  }
  std::vector<trace::Request> requests;
  for (std::size_t i = 0; i < trace.requests.size(); ++i)
    if (known[i]) requests.push_back(trace.requests[i]);
  return requests;
}

// What only the host was late with: longer than anything that moves explains, and no sector had
// passed. Kept as a sample, it tells that the host stood still. Where a cache may answer (not
// `media`) the one who was late so far is late again.
class Lateness {
 public:
  Lateness(mtbrc::Context& context, const model::DriveModel& model, bool media)
      : context_(context), model_(model), media_(media) {}

  bool is_by_host(const trace::Request& request, const scsi::Completion& done) {
    const double most_ms = longest_of_one_block_ms(model_) +
                           request.blocks * acting(model_, model_.bus.block_transfer) +
                           model::revolution_ns(model_.rotation) * 1e-6;
    if (to_ms(done.response_ns()) <= most_ms) return false;
    if (!media_) return was_by_host();
    const auto passed = passages().at(request.lbn + request.blocks - 1, done.completed_ns,
                                      context_.session);
    if (passed.value_or(true)) return false;
    context_.samples.push_back({.experiment = estimate::Experiment::other,
                                .write = request.write,
                                .lbn = request.lbn,
                                .blocks = request.blocks,
                                .issued_ns = done.issued_ns,
                                .completed_ns = done.completed_ns,
                                .session = context_.session});
    return true;
  }

 private:
  const engine::LayoutMap& map() {
    if (!map_) map_.emplace(model_.layout);
    return *map_;
  }
  // They change with the reference's reads alone.
  const Passages& passages() {
    const auto reads = std::ranges::count(context_.samples, estimate::Experiment::anchor,
                                          &estimate::Sample::experiment);
    if (std::exchange(reads_, reads) != reads) passages_.reset();
    if (!passages_) passages_.emplace(context_.samples, model_, map());
    return *passages_;
  }
  bool was_by_host() {
    if (std::exchange(samples_, context_.samples.size()) != context_.samples.size())
      by_host_ = late_answers(context_.samples, model_, map()).only_by_host();
    return by_host_;
  }

  mtbrc::Context& context_;
  const model::DriveModel& model_;
  const bool media_;
  std::optional<engine::LayoutMap> map_{};
  std::optional<Passages> passages_{};
  std::ptrdiff_t reads_ = 0;
  std::size_t samples_ = SIZE_MAX;
  bool by_host_ = false;
};

// One at a time, until there is no time left. `round`: of the same workload so many were sent
// before.
bool send_requests_like(const char* workload, mtbrc::Context& context,
                        const model::DriveModel& model, const SelfValidationOptions& options,
                        bool fresh, std::uint64_t fewest, std::uint64_t round,
                        replay::Result& result) {
  scsi::Drive& drive = context.drive;
  const mtbrc::Meter meter(context, mtbrc::Budget{});
  const trace::Trace trace = requests_in_time(workload, context, model, options, fresh, fewest,
                                              round);
  result.target = replay::Result::Target::drive;
  result.name = "the drive";
  result.trace = workload;
  result.kind = trace::Kind::closed;
  result.block_bytes = model.identity.block_bytes;
  const std::vector<trace::Request> requests = with_known_contents(trace, drive, meter, result);
  Lateness lateness(context, model, options.media);
  constexpr int kMostFailures = 20;  // Chosen: of some hundred requests; more are no accident
  int failures = 0;
  bool left_out = false;
  for (std::size_t i = 0; i < requests.size() && !meter.exhausted(); ++i) {
    look_at_time(context, result);
    const trace::Request& request = requests[i];
    const std::uint32_t session = context.session;
    bool late_by_host = false;
    try {
      const scsi::Completion done = request.write ? drive.write(request.lbn, request.blocks)
                                                  : drive.read(request.lbn, request.blocks);
      result.requests.push_back(response_of(request, done));
      late_by_host = lateness.is_by_host(request, done);
    } catch (const scsi::DriveError& error) {
      if (error.status() != ExitStatus::drive_error || ++failures > kMostFailures) throw;
    }
    // Behind a jump of time, or a time for which the host stood still, none follows from the one
    // before.
    if (context.session != session || late_by_host) result.requests.clear();
    left_out = left_out || late_by_host;
    drive.rest_ns(request.think_ns);
    context.report("", static_cast<double>(i + 1) / static_cast<double>(requests.size()));
  }
  // A step behind the last look would be taken for the model's fault.
  if (context.time == nullptr || !context.time->has_stepped()) return left_out;
  drive.rest_ns(kSecond / 2);
  look_at_time(context, result);
  return left_out;
}

bool has_time_left(mtbrc::Context& context) {
  return context.deadline_ns == 0 || context.drive.now_ns() < context.deadline_ns;
}

// By those that will judge.
bool tell_enough(const char* workload, const replay::Result& result, const mtbrc::Context& context,
                 const model::DriveModel& model, const std::vector<double>& floors,
                 std::size_t warming) {
  constexpr double kKnown = 0.0175;  // of the mean; Chosen: below what makes a model a good one
  const Trial trial(result);
  model::DriveModel corrected = model;
  const std::size_t all = result.requests.size();
  std::size_t others = warming > 0 ? all / warming : kUnknownBefore;
  if (warming == 0 && trial.count() >= kFewestValidationRequests &&
      !correct(trial, all / 2, corrected).empty())
    others = all / 2;
  const std::vector<replay::Answered> requests = judging(trial, trial.in_drives_time(corrected),
                                                         others + 1);
  double mean_ms = 0;
  for (const replay::Answered& one : requests) mean_ms += one.drive_ms;
  mean_ms /= static_cast<double>(requests.size());
  const replay::StatedDemerit stated = stated_by(trial, requests, corrected, floors);
  // What a budget leaves is spent.
  if (context.deadline_ns > 0 || context.precision == mtbrc::Precision::high)
    return stated.error_ms < kKnown * mean_ms;
  if (stated.error_ms < kKnown / 2 * mean_ms) return true;
  const double most_percent = 100 * (stated.ms + stated.error_ms) / mean_ms;
  const auto is_good = [&](double percent) {
    return model::quality_of_demerit(workload, percent) == model::Quality::good;
  };
  // What ten times as many would not show to be good has told enough, too.
  constexpr double kHopeless = 10;
  return is_good(most_percent) || !is_good(100 * stated.ms / mean_ms / kHopeless);
}

// Until it is known well how far the model is from the drive, or that it takes too long.
replay::Result requests_like(const char* workload, mtbrc::Context& context,
                             const model::DriveModel& model, const SelfValidationOptions& options,
                             replay::Caches caches, std::uint64_t fewest, std::size_t warming) {
  constexpr std::uint64_t kMostRounds = 8;
  constexpr std::size_t kFewestToState = 20;
  const Nanoseconds start_ns = context.drive.now_ns();
  replay::Result result;
  result.caches = replay::name_of(caches);
  std::vector<double> floors;
  const bool fresh = options.media && context.reads_may_be_cached();
  std::uint32_t session = context.session;
  bool ever_jumped = false;
  for (std::uint64_t round = 0; round < kMostRounds; ++round) {
    const bool left_out = send_requests_like(workload, context, model, options, fresh, fewest,
                                             round, result);
    const bool is_last = round + 1 == kMostRounds;
    const bool jumped = std::exchange(session, context.session) != context.session || left_out;
    ever_jumped = ever_jumped || jumped;
    if (is_last || !has_time_left(context)) break;
    if (jumped) continue;
    const std::size_t so_many = count_of(of_workload(result.requests));
    if (context.deadline_ns == 0 && so_many < fewest) {
      if (ever_jumped) continue;
      break;
    }
    if (so_many < kFewestToState) continue;
    if (floors.empty()) floors = floors_ms(workload, model, caches);
    if (tell_enough(workload, result, context, model, floors, warming)) break;
  }
  for (replay::Response& request : result.requests) {
    request.due_ns -= start_ns;
    request.issue_ns -= start_ns;
  }
  return result;
}

}  // namespace

replay::Result random_requests(mtbrc::Context& context, const model::DriveModel& model,
                               const SelfValidationOptions& options, replay::Caches caches) {
  const bool sharply = context.precision == mtbrc::Precision::high;
  return requests_like(kRandom, context, model, options, caches,
                       sharply ? kMoreValidationRequests : kFewestValidationRequests, 0);
}

replay::Result mixed_requests(mtbrc::Context& context, const model::DriveModel& model,
                              const SelfValidationOptions& options) {
  return requests_like(kMixed, context, model, options, replay::Caches::as_they_are, 1, kWarming);
}

model::Notes judge_mixed(const replay::Result& drive, model::DriveModel& model) {
  const std::size_t warm = drive.requests.size() / kWarming;
  const Trial trial(drive);
  if (trial.count() < kFewestMixedRequests)
    return {{model::Code::mixed_unchecked,
             "too few requests of the mixed workload were made to check the cache"}};
  model::Notes notes;
  const Trial::Answers answers = trial.answers(model);
  model.validity.demerits.push_back(demerit_of(kMixed, trial, model, answers, warm + 1));
  widen(model.validity, drive);
  model.validity.note += "; the mixed workload with the caches as the drive has them";
  if (const auto above = above_floor(kMixed, model.validity.demerits.back()))
    notes.emplace_back(model::Code::mixed_above_floor, *above);
  const double period_ms = model::revolution_ns(model.rotation) * 1e-6;
  if (const auto longer = what_takes_longer(drive, answers.in_own_time, warm, period_ms))
    notes.emplace_back(model::Code::mixed_takes_longer, *longer);
  return notes;
}

void bear_pauses(const Pauses& pauses, model::Validity& validity) {
  if (pauses.paused == 0) return;
  for (model::Demerit& demerit : validity.demerits) {
    const char* const workload = demerit.workload == model::within_the_run(kMixed) ? kMixed
                                                                                   : kRandom;
    const double share = pauses.share(demerit.drive_mean_ms + to_ms(mean_think_ns(workload)));
    const double square = share * pauses.mean_ms * pauses.mean_ms;
    // Of waits whose lengths vary like an exponential's: those that were seen, and those that
    // requests of the number that a demerit is stated for meet.
    const double unsure = square * std::sqrt(2 / static_cast<double>(pauses.paused) +
                                             2 / (share * replay::kStatedRequests));
    const double before = demerit.demerit_ms * demerit.demerit_ms;
    const double may_be_ms = demerit.demerit_ms + demerit.error_ms.value_or(0);
    demerit.demerit_ms = std::sqrt(before + square);
    demerit.error_ms =
        std::sqrt(before + square + std::hypot(may_be_ms * may_be_ms - before, unsure)) -
        demerit.demerit_ms;
    demerit.floor_ms = std::hypot(demerit.floor_ms.value_or(0), std::sqrt(square));
    demerit.demerit_percent = 100 * demerit.demerit_ms / demerit.drive_mean_ms;
  }
}

std::optional<std::string> what_prevents_prediction(const model::DriveModel& model) {
  try {
    random_request_ns(model, 1);
    return std::nullopt;
  } catch (const Error& error) {
    let_interruptions_pass(error);
    return error.what();
  }
}

model::Notes validate_by(const replay::Result& drive, model::DriveModel& model) {
  const Trial trial(drive);
  constexpr std::size_t kFewestThatJudge = 20;
  if (trial.count() < kFewestThatJudge) {
    model.validity = {};
    model.validity.note = "not checked: no time was left for it";
    return {};
  }
  if (trial.count() < kFewestValidationRequests) {
    model::Notes notes;
    add_validity(trial, 1, model, notes);
    return notes;
  }
  const std::size_t learned = drive.requests.size() / 2;
  model::Notes notes = correct(trial, learned, model);
  add_validity(trial, (notes.empty() ? kUnknownBefore : learned) + 1, model, notes);
  return notes;
}

}  // namespace platter::extract

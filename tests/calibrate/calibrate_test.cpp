// A virtual drive with its default imperfections is the truth; models of it that are right, or
// wrong in known ways, are calibrated with what it answered.
#include "calibrate/calibrate.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "calibrate/completions.h"
#include "calibrate/outcome_text.h"
#include "catch.h"
#include "model/error.h"
#include "model/json.h"
#include "replay/replay_drive.h"
#include "statistics/circular.h"
#include "virtual_drive/open.h"

using namespace platter;
using namespace platter::calibrate;

namespace {

constexpr std::size_t kRequests = 3000;

// Half of it anywhere, the rest near the request before; closed, 1 to 31 ms of thought. With
// `writes`, a third of the requests, only up to 6 ms: what writes leave to be done shows.
trace::Trace mixed(std::uint64_t blocks, std::uint64_t seed, bool writes = false) {
  std::mt19937_64 draw(seed);
  trace::Trace trace{.kind = trace::Kind::closed, .name = "mixed", .requests = {}};
  std::uint64_t end = 1000;
  for (std::size_t i = 0; i < kRequests; ++i) {
    trace::Request request;
    request.blocks = static_cast<std::uint32_t>(4 * (1 + draw() % 6));
    const std::uint64_t kind = draw() % 10;
    std::uint64_t lbn = draw() % (blocks - 100);
    if (kind < 2 && end + 100 < blocks) lbn = end;
    if (kind >= 2 && kind < 5 && end > 600 && end + 1200 < blocks) lbn = end - 500 + draw() % 1000;
    request.lbn = lbn;
    if (writes) request.write = draw() % 3 == 0;
    const Nanoseconds longest_ns = (writes ? 5 : 30) * kMillisecond;
    request.think_ns = static_cast<Nanoseconds>(kMillisecond + draw() % longest_ns);
    end = lbn + request.blocks;
    trace.requests.push_back(request);
  }
  return trace;
}

struct Case {
  model::DriveModel truth{};
  replay::Result measured{};
};

Case measured_case(const std::string& drive, int seed, bool writes = false) {
  const std::string name = drive + "?imperfections=default&seed=" + std::to_string(seed);
  Case c;
  c.truth = virtual_drive::virtual_model(name);
  c.truth.imperfections.reset();
  const auto device = virtual_drive::open_virtual(name);
  scsi::Permission permission;
  if (writes) permission.writes = {{0, c.truth.identity.blocks - 1}};
  c.measured = replay::replay_on_drive(*device, permission,
                                       mixed(c.truth.identity.blocks, seed, writes));
  return c;
}

Outcome calibrated(const model::DriveModel& model, const replay::Result& measured,
                   const Options& options = {}) {
  const std::size_t n = measured.requests.size();
  return calibrate::calibrate(model, Measurement(measured, {0, n / 2}, {n / 2, n}), options);
}

double period_of(const model::DriveModel& model) {
  return static_cast<double>(model.rotation.numerator_ns) /
         static_cast<double>(model.rotation.denominator);
}

// The drive is another one from the middle on: what the model says.
replay::Result second_half_as(const model::DriveModel& model, replay::Result measured) {
  const Range first{0, kRequests / 2}, second{kRequests / 2, kRequests};
  const replay::Result before = measured;
  const replay::Result said = Measurement(before, first, second).replay_in_own_time(model);
  for (std::size_t i = kRequests / 2; i < kRequests; ++i) {
    replay::Response& response = measured.requests[i];
    const Nanoseconds think_ns = before.requests[i].issue_ns -
                                 before.requests[i - 1].completion_ns();
    response.issue_ns = response.due_ns = measured.requests[i - 1].completion_ns() + think_ns;
    response.response_ns = said.requests[i].response_ns;
  }
  return measured;
}

double demerit(const Standing& standing) { return standing.own_time.classes.front().demerit_ms; }

}  // namespace

TEST_CASE("a model that is wrong in known ways comes back to the truth") {
  for (const char* drive : {"seagate-barracuda4lp", "hp-c2247"})
    for (int seed = 1; seed <= 2; ++seed) {
      CAPTURE(drive, seed);
      const Case c = measured_case(drive, seed);
      model::DriveModel wrong = c.truth;
      wrong.rotation.numerator_ns =
          static_cast<std::uint64_t>(std::llround(period_of(c.truth) * 1.0002 * 1e6));
      wrong.rotation.denominator = 1'000'000;
      *wrong.overheads.read_hit_after_read.value += 0.2;
      *wrong.overheads.read_miss_after_read.value += 0.4;
      wrong.layout.zones[1].angle_rev = statistics::turn_rev(wrong.layout.zones[1].angle_rev + 0.3);
      wrong.cache.segments.value = 1;
      const Outcome outcome = calibrated(wrong, c.measured);
      const model::DriveModel& found = outcome.model;
      CHECK(outcome.phase_known);
      CHECK_FALSE(outcome.think_times_in_front);
      CHECK(outcome.verdict.better);
      CHECK(demerit(outcome.judge_after) < demerit(outcome.judge_before) / 2);
      REQUIRE(found.rotation.period.error);
      CHECK(found.rotation.period.method == "calibrated");
      CHECK(std::abs(period_of(found) / period_of(c.truth) - 1) <
            2e-6 + 4 * *found.rotation.period.error / period_of(c.truth));
      // All angles but one are right, up to a constant.
      const auto apart = [&](std::size_t zone) {
        return found.layout.zones[zone].angle_rev - c.truth.layout.zones[zone].angle_rev;
      };
      CHECK(std::abs(statistics::wrap_rev(apart(1) - apart(2))) < 0.003);
      // What the host adds, a median of 12 us, belongs to the command.
      const auto off = [](const model::Parameter& a, const model::Parameter& b) {
        return *a.value - *b.value;
      };
      const model::Overheads &now = found.overheads, &then = c.truth.overheads;
      CHECK(off(now.read_hit_after_read, then.read_hit_after_read) == Approx(0.014).margin(0.01));
      CHECK(off(now.read_miss_after_read, then.read_miss_after_read) ==
            Approx(0.014).margin(4 * now.read_miss_after_read.error.value_or(0.01)));
      if (std::string(drive) == "seagate-barracuda4lp")
        CHECK(found.cache.segments.value == c.truth.cache.segments.value);
      CHECK_FALSE(found.provenance.notes.empty());
      CHECK(found.provenance.method == c.truth.provenance.method);
      // It can be kept in a file.
      CHECK(model::to_json_text(model::from_json_text(model::to_json_text(found), "found")) ==
            model::to_json_text(found));
    }
}

TEST_CASE("a search is bounded by its work, and what was cut is said") {
  const Case c = measured_case("seagate-barracuda4lp", 1);
  model::DriveModel wrong = c.truth;
  *wrong.overheads.read_miss_after_read.value += 0.4;
  wrong.cache.segments.value = 1;
  const auto model_of = [&](std::uint64_t most_replayed) {
    Options options;
    options.most_replayed = most_replayed;
    return calibrated(wrong, c.measured, options);
  };
  const Outcome whole = model_of(Options{}.most_replayed), cut = model_of(0);
  CHECK_FALSE(whole.cut);
  CHECK(cut.cut);
  CHECK(cut.model.cache.segments.value == 1);
  CHECK(std::ranges::any_of(cut.left, [](const std::string& why) {
    return why.find("--most-replayed") != std::string::npos;
  }));
  CHECK(model::to_json_text(cut.model) == model::to_json_text(model_of(0).model));
}

TEST_CASE("a constant that all reads share goes to their completion") {
  for (const char* drive : {"seagate-barracuda4lp", "hp-c2247", "quantum-atlas10k"})
    for (const double planted : {-0.3, 0.5}) {
      CAPTURE(drive, planted);
      const Case c = measured_case(drive, 10);
      model::DriveModel wrong = c.truth;
      const double right = wrong.overheads.read_completion.value.value_or(0);
      wrong.overheads.read_completion.value = right + planted;
      const Outcome outcome = calibrated(wrong, c.measured);
      const model::Overheads &now = outcome.model.overheads, &then = c.truth.overheads;
      CHECK(*now.read_completion.value - right == Approx(0.014).margin(0.03));
      for (const CommandOverhead& command : overheads_of(false))
        CHECK((now.*command.field).value.value_or(0) == (then.*command.field).value.value_or(0));
      CHECK(outcome.warnings.empty());
      CHECK(outcome.verdict.better);
    }
}

TEST_CASE("writes that end in the buffer tell their settle by what waits for them") {
  const Case c = measured_case("random-12", 12, true);
  REQUIRE(*c.truth.cache.write_back_level.value == 2);
  model::DriveModel wrong = c.truth;
  const double right = *c.truth.write_settle.value;
  wrong.write_settle.value = right - 0.4;
  const Outcome outcome = calibrated(wrong, c.measured);
  CHECK(outcome.verdict.better);
  CHECK(std::abs(*outcome.model.write_settle.value - right) < 0.05);
}

TEST_CASE("less than no time for a command is said plainly") {
  // A recorder that leaves out 0.3 ms of each request.
  Case c = measured_case("quantum-atlas10k", 9);
  for (replay::Response& response : c.measured.requests) {
    response.issue_ns += from_ms(0.3);
    response.response_ns -= from_ms(0.3);
  }
  const Outcome outcome = calibrated(c.truth, c.measured);
  REQUIRE_FALSE(outcome.warnings.empty());
  CHECK(outcome.warnings.front().find("less than no time") != std::string::npos);
  CHECK(outcome_text(outcome).find("warning: overheads.read_") != std::string::npos);
  CHECK(outcome_json(outcome).find("\"warnings\": [\n") != std::string::npos);
  for (const CommandOverhead& command : overheads_of(false))
    CHECK((outcome.model.overheads.*command.field).value.value_or(0) >= 0);
}

TEST_CASE("overheads that are less than nothing are raised to it, one by one") {
  model::Overheads overheads;
  overheads.read_miss_after_read.value = 0.2;
  overheads.read_miss_after_write.value = -0.1;
  overheads.read_completion.value = 0.5;
  CHECK(least_in_front(overheads, false) == Approx(-0.1));
  raise_to_nothing(overheads, false);
  CHECK(least_in_front(overheads, false) == 0);
  CHECK(*overheads.read_miss_after_read.value == 0.2);
  CHECK(*overheads.read_miss_after_write.value == 0);
  CHECK(*overheads.read_completion.value == 0.5);
}

TEST_CASE("what is less than nothing in front of the media is moved behind them") {
  model::Overheads overheads;
  overheads.read_hit_after_read.value = -0.3;
  overheads.read_miss_after_read.value = 0.2;
  overheads.read_completion.value = 0.5;
  move_behind_media(overheads, false);
  CHECK(*overheads.read_hit_after_read.value == 0);
  CHECK(*overheads.read_miss_after_read.value == Approx(0.5));
  CHECK(*overheads.read_completion.value == Approx(0.2));
  CHECK(negative_totals(overheads).empty());
  CHECK_FALSE(overheads.write_completion);
  overheads.read_completion.value = -0.1;
  CHECK(negative_totals(overheads).size() == 1);
}

TEST_CASE("of a model that is right only what the host adds is changed") {
  for (const char* drive : {"seagate-barracuda4lp", "quantum-atlas10k"})
    for (int seed = 3; seed <= 4; ++seed) {
      CAPTURE(drive, seed);
      const Case c = measured_case(drive, seed);
      const Outcome outcome = calibrated(c.truth, c.measured);
      CHECK(outcome.phase_known);
      for (const Change& change : outcome.changes) {
        CAPTURE(change.path, change.why);
        CHECK((change.group == "hits" || change.path == "rotation.period"));
        REQUIRE(change.from);
        REQUIRE(change.to);
        if (change.group == "hits")
          CHECK(std::abs(*change.to - *change.from) < 0.03);
        else
          CHECK(std::abs(*change.to / *change.from - 1) < 2e-6);
      }
      CHECK(demerit(outcome.judge_after) < demerit(outcome.judge_before) + 0.01);
    }
}

TEST_CASE("think times that stand in front of their requests are found out") {
  const Case c = measured_case("seagate-barracuda4lp", 5);
  // As such a recorder writes them, and as the format is read: each pause one request too late.
  replay::Result shifted = c.measured;
  for (std::size_t i = 1; i < shifted.requests.size(); ++i) {
    const std::size_t pause = i - 1;  // in front of request i - 1, read as the one behind it
    const Nanoseconds think = pause == 0 ? 10 * kMillisecond
                                         : c.measured.requests[pause].issue_ns -
                                               c.measured.requests[pause - 1].completion_ns();
    shifted.requests[i].issue_ns = shifted.requests[i - 1].completion_ns() + think;
    shifted.requests[i].due_ns = shifted.requests[i].issue_ns;
  }
  const Outcome outcome = calibrated(c.truth, shifted);
  CHECK(outcome.think_times_in_front);
  CHECK(outcome.phase_known);
  REQUIRE(outcome.judge_as_written_after);
  CHECK(demerit(outcome.judge_after) < *outcome.judge_as_written_after);
}

TEST_CASE("what is no better in the half that judges leaves the model as it came in") {
  // From the middle on the drive is another one: what the model that comes in says.
  Case c = measured_case("seagate-barracuda4lp", 8);
  model::DriveModel other = c.truth;
  *other.overheads.read_hit_after_read.value += 0.2;
  const replay::Result measured = second_half_as(other, c.measured);
  const Outcome outcome = calibrated(other, measured);
  CHECK(demerit(outcome.learn_after) < demerit(outcome.learn_before));
  REQUIRE_FALSE(outcome.changes.empty());  // what was tried is told
  CHECK_FALSE(outcome.verdict.better);
  CHECK(outcome.kept == Kept::nothing);
  CHECK(model::to_json_text(outcome.model) == model::to_json_text(other));
  const std::string text = outcome_text(outcome);
  CHECK(text.starts_with("The model stays as it came in, "));
  CHECK(text.find("overheads.read_hit_after_read") != std::string::npos);
  CHECK(outcome_json(outcome).find("\"judged_better\": false") != std::string::npos);
}

TEST_CASE("where tracks lie stays when the distribution is no better for another reason") {
  // Hits take 1 ms longer from the middle on, as in the model that comes in; its zones are turned.
  Case c = measured_case("seagate-barracuda4lp", 8);
  model::DriveModel slow = c.truth;
  *slow.overheads.read_hit_after_read.value += 1;
  model::DriveModel turned = slow;
  for (std::size_t zone = 1; zone < turned.layout.zones.size(); zone += 2)
    turned.layout.zones[zone].angle_rev =
        statistics::turn_rev(turned.layout.zones[zone].angle_rev + 0.3);
  const Outcome outcome = calibrated(turned, second_half_as(slow, c.measured));
  CHECK(outcome.kept == Kept::positions);
  CHECK(outcome.verdict.better);
  const auto angle = [](const model::DriveModel& model, std::size_t zone) {
    return model.layout.zones[zone].angle_rev;
  };
  const auto apart = [&](const model::DriveModel& model) {
    return statistics::wrap_rev(angle(model, 1) - angle(model, 2) - angle(c.truth, 1) +
                                angle(c.truth, 2));
  };
  CHECK(std::abs(apart(turned)) > 0.2);
  CHECK(std::abs(apart(outcome.model)) < 0.003);
  CHECK(outcome.model.overheads.read_hit_after_read.value ==
        turned.overheads.read_hit_after_read.value);
  CHECK(std::ranges::any_of(outcome.changes,
                            [](const Change& change) { return change.group == "hits"; }));
  CHECK(outcome_text(outcome).starts_with("Where its tracks lie is kept of what was found"));
  const std::string json = outcome_json(outcome);
  CHECK(json.find("only where tracks lie and how fast they turn is kept") != std::string::npos);
  CHECK(json.find("\"judged_better\": true") != std::string::npos);
}

TEST_CASE("nothing to change leaves the model as it came in") {
  const Case c = measured_case("seagate-barracuda4lp", 8);
  Options options;
  options.groups = {
      .rotation = false, .angles = false, .hits = false, .positioning = false, .cache = false};
  const Outcome outcome = calibrated(c.truth, c.measured, options);
  CHECK_FALSE(outcome.verdict.better);
  CHECK(model::to_json_text(outcome.model) == model::to_json_text(c.truth));
  CHECK(outcome_text(outcome).starts_with("The model stays as it came in: nothing was found"));
}

TEST_CASE("only the groups that were asked for are changed") {
  const Case c = measured_case("seagate-barracuda4lp", 6);
  model::DriveModel wrong = c.truth;
  *wrong.overheads.read_hit_after_read.value += 0.2;
  *wrong.overheads.read_miss_after_read.value += 0.4;
  Options options;
  options.groups = {
      .rotation = false, .angles = false, .hits = true, .positioning = false, .cache = false};
  const Outcome outcome = calibrated(wrong, c.measured, options);
  REQUIRE_FALSE(outcome.changes.empty());
  for (const Change& change : outcome.changes) CHECK(change.group == "hits");
  const std::string text = outcome_text(outcome), json = outcome_json(outcome);
  CHECK(text.find("overheads.read_hit_after_read") != std::string::npos);
  CHECK(json.find("\"platter-calibration\"") != std::string::npos);
}

TEST_CASE("too few requests, and a model's result, are refused") {
  Case c = measured_case("seagate-barracuda4lp", 7);
  replay::Result few = c.measured;
  few.requests.resize(300);
  CHECK_THROWS_AS(calibrated(c.truth, few), Error);
  c.measured.target = replay::Result::Target::model;
  CHECK_THROWS_AS(calibrated(c.truth, c.measured), Error);
}

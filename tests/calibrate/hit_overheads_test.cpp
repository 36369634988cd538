// A virtual drive whose hits take another time where they carry on is the truth; a model without
// such times learns them from what the drive answered.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "calibrate/calibrate.h"
#include "calibrate/outcome_text.h"
#include "catch.h"
#include "replay/replay_drive.h"
#include "virtual_drive/open.h"

using namespace platter;
using namespace platter::calibrate;

namespace {

constexpr std::size_t kHitRequests = 4000;
constexpr std::uint64_t kBlocks = 100'000;  // of the drive, that are asked for

// Runs of reads and of writes: half of them carry on from the request before, a fifth leave a
// little out; closed, 0.2 to 25 ms of thought.
trace::Trace runs(std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  trace::Trace trace{.kind = trace::Kind::closed, .name = "runs", .requests = {}};
  trace::Request request;
  for (std::size_t i = 0; i < kHitRequests; ++i) {
    const std::uint64_t end = request.lbn + request.blocks;
    if (draw() % 10 < 3) request.write = draw() % 2 == 0;
    const std::uint64_t kind = draw() % 10;
    request.blocks = static_cast<std::uint32_t>(2 * (1 + draw() % 8));
    request.lbn = draw() % (kBlocks - 100);
    if (kind < 7 && end + 100 < kBlocks) request.lbn = kind < 5 ? end : end + 2 + draw() % 10;
    request.think_ns = static_cast<Nanoseconds>(kMillisecond / 5 + draw() % (25 * kMillisecond));
    trace.requests.push_back(request);
  }
  return trace;
}

struct Planted {
  double read_ms = 0, within_ms = 0, write_ms = 0;
};

struct HitCase {
  model::DriveModel without{};  // as the drive is, but for what was planted
  replay::Result measured{};
};

HitCase measured_hits(const std::string& drive, const Planted& planted, int seed) {
  model::DriveModel truth =
      virtual_drive::virtual_model(drive + "?imperfections=default&seed=" + std::to_string(seed));
  for (model::Parameter* one :
       {&truth.overheads.read_hit_after_read, &truth.overheads.write_hit_after_write})
    one->value = 0.5;
  HitCase c{truth, {}};
  c.without.imperfections.reset();
  if (planted.read_ms != 0) truth.overheads.sequential_read_hit_delta.value = planted.read_ms;
  if (planted.within_ms != 0) truth.overheads.sequential_read_hit_within.value = planted.within_ms;
  if (planted.write_ms != 0) truth.overheads.sequential_write_hit_delta.value = planted.write_ms;
  virtual_drive::VirtualDevice device(truth);
  scsi::Permission permission;
  permission.writes.push_back({0, kBlocks});
  c.measured = replay::replay_on_drive(device, permission, runs(static_cast<std::uint64_t>(seed)));
  return c;
}

Outcome calibrated(const HitCase& c) {
  Options options;
  options.groups = {
      .rotation = false, .angles = false, .hits = true, .positioning = false, .cache = false};
  const std::size_t n = c.measured.requests.size();
  return calibrate::calibrate(c.without, Measurement(c.measured, {0, n / 2}, {n / 2, n}), options);
}

bool changed(const Outcome& outcome, const std::string& path) {
  return std::ranges::find(outcome.changes, path, &Change::path) != outcome.changes.end();
}

}  // namespace

TEST_CASE("what hits that carry on take less is found, for reads and for writes") {
  for (const char* drive : {"seagate-cheetah9lp", "ibm-ultrastar18es"})
    for (int seed = 1; seed <= 2; ++seed) {
      CAPTURE(drive, seed);
      const Planted planted{-0.15, 0, -0.2};
      const Outcome outcome = calibrated(measured_hits(drive, planted, seed));
      INFO(outcome_text(outcome));
      const model::Overheads& found = outcome.model.overheads;
      REQUIRE(found.sequential_read_hit_delta);
      REQUIRE(found.sequential_write_hit_delta);
      CHECK(found.sequential_read_hit_delta.method == "calibrated");
      CHECK(*found.sequential_read_hit_delta.value == Approx(planted.read_ms).margin(0.01));
      CHECK(*found.sequential_write_hit_delta.value == Approx(planted.write_ms).margin(0.01));
      CHECK_FALSE(changed(outcome, "overheads.sequential_read_hit_within"));
      CHECK(outcome.verdict.better);
    }
}

TEST_CASE("the time in which a read still carries on is found") {
  for (int seed = 3; seed <= 4; ++seed) {
    CAPTURE(seed);
    const Planted planted{-0.15, 9, 0};
    const Outcome outcome = calibrated(measured_hits("seagate-cheetah9lp", planted, seed));
    const model::Overheads& found = outcome.model.overheads;
    REQUIRE(found.sequential_read_hit_within);
    CHECK(*found.sequential_read_hit_within.value == Approx(planted.within_ms).margin(0.3));
    CHECK(*found.sequential_read_hit_delta.value == Approx(planted.read_ms).margin(0.01));
    CHECK_FALSE(changed(outcome, "overheads.sequential_write_hit_delta"));
  }
}

TEST_CASE("where hits that carry on are like others, no such time is found") {
  for (const char* drive : {"seagate-cheetah9lp", "ibm-ultrastar18es"}) {
    CAPTURE(drive);
    const Outcome outcome = calibrated(measured_hits(drive, {}, 5));
    for (const char* path :
         {"overheads.sequential_read_hit_delta", "overheads.sequential_read_hit_within",
          "overheads.sequential_write_hit_delta"})
      CHECK_FALSE(changed(outcome, path));
  }
}

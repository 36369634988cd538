// Seeks outward and of writes: told apart where they differ, and only there.
#include <algorithm>
#include <array>
#include <cmath>

#include "catch.h"
#include "model/seek_curve.h"
#include "mtbrc/known.h"
#include "mtbrc/overheads.h"
#include "mtbrc/seek.h"
#include "mtbrc/seek_command.h"
#include "mtbrc/switches.h"
#include "mtbrc/write_seek.h"
#include "scsi/guard.h"
#include "statistics/robust.h"
#include "virtual_drive/open.h"
#include "virtual_drive/random_drive.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;
using namespace platter::estimate;
using namespace platter::mtbrc;

namespace {

model::DriveModel plain_drive() {
  return virtual_drive::virtual_model("virtual:cache-base?imperfections=default&seed=3");
}

struct SeekBench {
  explicit SeekBench(const model::DriveModel& drive_model, std::vector<LbnRange> writes = {},
                     std::uint64_t seed = 7)
      : truth(drive_model),
        permission{true,
                   writes.empty() ? std::vector<LbnRange>{{0, truth.identity.blocks - 1}} : writes},
        device(truth, "a drive"),
        guard(device, permission),
        drive(guard, "a drive"),
        context(drive, seed),
        map(truth.layout) {
    drive.identify();
    drive.settings().set_cache(false, true, true);
    context.rotation = truth.rotation;
    context.map = &map;
  }

  model::DriveModel measured() {
    model::DriveModel model;
    model.rotation = truth.rotation;
    Seeks seeks = measure_seeks(context);
    model.seek = seeks.seek;
    model.outward_seek = seeks.outward;
    measure_head_switch(context);
    model.write_settle = measure_write_settle(context, permission.writes);
    return model;
  }

  model::DriveModel truth;
  scsi::Permission permission;
  virtual_drive::VirtualDevice device;
  scsi::Guard guard;
  scsi::Drive drive;
  Context context;
  engine::LayoutMap map;
};

// Of a few trials each distances are lost now and then, of single runs many.
constexpr std::array<std::uint64_t, 3> kRuns = {7, 8, 9};
constexpr int kMostRuns = 2;  // of these
constexpr std::size_t kDistances = 15;

void check_curve(const model::Seek& found, const model::Seek& truth) {
  REQUIRE(found.points.size() > 20);
  double mean = 0, z = 0;
  for (const model::SeekPoint& point : found.points) {
    const double error = point.time_ms - model::seek_time_ms(truth, point.cylinders);
    mean += std::abs(error) / static_cast<double>(found.points.size());
    z += std::pow(error / *point.error_ms, 2) / static_cast<double>(found.points.size());
  }
  INFO(found.method);
  CHECK(mean < 0.025);
  CHECK(std::sqrt(z) < 2.5);  // a shared error of the same-track constant is in all of them
}

}  // namespace

TEST_CASE("seeks outward: a curve of their own where they differ, by SEEK and without") {
  const bool seek_command = GENERATE(true, false);
  model::DriveModel truth = plain_drive();
  truth.firmware->seek_command = seek_command;
  SECTION("they cross") { truth.outward_seek = virtual_drive::slower(truth.seek, -0.15, 0.25); }
  SECTION("one constant") { truth.outward_seek = virtual_drive::slower(truth.seek, 0.5, 0.5); }
  SeekBench bench(truth);
  const Seeks found = measure_seeks(bench.context);
  REQUIRE(found.outward);
  check_curve(found.seek, truth.seek);
  check_curve(*found.outward, *truth.outward_seek);
}

TEST_CASE("seeks outward: none where they are alike") {
  for (const bool seek_command : {true, false}) {
    model::DriveModel truth = plain_drive();
    truth.firmware->seek_command = seek_command;
    SeekBench bench(truth);
    CHECK_FALSE(measure_seeks(bench.context).outward);
  }
}

TEST_CASE("seeks of writes: tied to those of reads and the settle, if fifteen distances say so") {
  int enough = 0;
  for (const std::uint64_t run : kRuns) {
    SeekBench bench(plain_drive(), {}, run);
    const model::DriveModel model = bench.measured();
    const WriteSeeks found = measure_write_seeks(bench.context, bench.permission.writes, model);
    INFO(found.note);
    CHECK(found.tied);
    CHECK_FALSE(found.curve);
    enough += found.settles.size() >= kDistances;
    for (const DistantSettle& settle : found.settles)
      CHECK(std::abs(settle.time_ms - *bench.truth.write_settle.value) <
            0.03 + 4 * settle.error_ms);
  }
  CHECK(enough >= kMostRuns);
}

// Where nothing scatters, trials that lie alike err alike.
TEST_CASE(
    "seeks of writes: the error of their mean holds on a quiet drive of long physical blocks") {
  model::DriveModel truth = plain_drive();
  truth.imperfections.emplace().random_phase = true;
  truth.identity.physical_block_bytes = 8 * truth.identity.block_bytes;
  truth.firmware->seek_command = false;
  double errors = 0;
  for (const std::uint64_t run : kRuns) {
    SeekBench bench(truth, {}, run);
    const model::DriveModel model = bench.measured();
    const WriteSeeks found = measure_write_seeks(bench.context, bench.permission.writes, model);
    INFO(found.note);
    CHECK(found.tied);
    CHECK(found.settles.size() >= kDistances);
    std::vector<statistics::Estimate> settles;
    for (const DistantSettle& settle : found.settles) {
      settles.push_back({settle.time_ms, settle.error_ms, settle.samples});
      CHECK(settle.error_ms < 0.035);
    }
    const statistics::Estimate mean = statistics::weighted_mean(settles);
    errors += (mean.value - *truth.write_settle.value) /
              std::hypot(mean.error, found.shared_error_ms) / kRuns.size();
  }
  CHECK(std::abs(errors) < 1.7);  // three standard errors of three
}

TEST_CASE("seeks of writes: a curve of their own where they settle otherwise") {
  model::DriveModel truth = plain_drive();
  const double settle = *truth.write_settle.value;
  SECTION("longer behind longer seeks") {
    truth.write_seek = virtual_drive::slower(truth.seek, settle, settle + 0.4);
  }
  SECTION("as long behind all of them, but not behind a switch of heads") {
    truth.write_seek = virtual_drive::slower(truth.seek, settle + 0.2, settle + 0.2);
  }
  SECTION("and outward seeks are others") {
    truth.write_seek = virtual_drive::slower(truth.seek, settle, settle + 0.4);
    truth.outward_seek = virtual_drive::slower(truth.seek, -0.2, 0.3);
  }
  SeekBench bench(truth);
  const model::DriveModel model = bench.measured();
  const WriteSeeks found = measure_write_seeks(bench.context, bench.permission.writes, model);
  INFO(found.note);
  REQUIRE(found.curve);
  check_curve(*found.curve, *truth.write_seek);
  check_curve(*known(bench.context, &model).of<Figure::write_seeks>().curve, *truth.write_seek);
}

TEST_CASE(
    "seeks of writes: from afar into the few tracks that may be written, and into no others") {
  model::DriveModel truth = plain_drive();
  int enough = 0, far = 0;
  for (const std::uint64_t run : kRuns) {
    SeekBench bench(truth, {{0, 20'000}}, run);
    const model::DriveModel model = bench.measured();
    const WriteSeeks found = measure_write_seeks(bench.context, bench.permission.writes, model);
    REQUIRE_FALSE(found.settles.empty());
    enough += found.settles.size() >= kDistances;
    far += found.settles.back().cylinders > bench.map.cylinders() * 9 / 10;
    for (const Sample& sample : bench.context.samples)
      if (sample.write) CHECK(sample.lbn + sample.blocks <= 20'001);
  }
  CHECK(enough >= kMostRuns);
  CHECK(far >= kMostRuns);
}

TEST_CASE(
    "seeks of writes: permitted ranges of one block, at both ends, and a block that cannot be "
    "read") {
  model::DriveModel truth = plain_drive();
  const std::uint64_t last = truth.identity.blocks - 1;
  truth.imperfections->medium_errors = {5'000, 401'000, 402'222};
  SeekBench bench(truth, {{0, 0}, {400'000, 420'000}, {last, last}});
  const model::DriveModel model = bench.measured();
  const WriteSeeks found = measure_write_seeks(bench.context, bench.permission.writes, model);
  CHECK(found.settles.size() >= 7);
}

TEST_CASE("seeks of writes: one stranger among many is left out, and named") {
  model::DriveModel truth = plain_drive();
  SeekBench bench(truth);
  const model::DriveModel model = bench.measured();
  WriteSeeks found = measure_write_seeks(bench.context, bench.permission.writes, model);
  REQUIRE(found.tied);
  // The samples of one distance as if its tracks lay a third of a millisecond further on.
  Samples samples = bench.context.samples;
  REQUIRE(found.settles.size() > 8);
  const auto well_known = std::find_if(
      found.settles.begin() + 8, found.settles.end(),
      [](const DistantSettle& settle) { return settle.error_ms < 0.05; });
  REQUIRE(well_known != found.settles.end());
  const std::uint32_t moved = well_known->cylinders;
  for (Sample& sample : samples)
    if (sample.experiment == Experiment::seek && sample.write &&
        std::abs(sample.group) == std::int64_t{moved})
      sample.issued_ns -= 330'000;
  const WriteSeeks again =
      Estimates(samples, &bench.map, model.rotation, &model).of<Figure::write_seeks>();
  INFO(found.note << "; " << again.note);
  for (const DistantSettle& s : again.settles)
    UNSCOPED_INFO(s.cylinders << ": " << s.time_ms << " +- " << s.error_ms);
  INFO("moved " << moved);
  CHECK(again.tied);
  REQUIRE(again.stranger);
  CHECK(again.stranger->cylinders == moved);
}

TEST_CASE("the constant of SEEK commands: one MTBRC that contradicts all others does not count") {
  SeekTimes commands, mtbrcs;
  for (const std::int64_t d : {1, 10, 50, 200, 700, 1500, 3000, 6000}) {
    const double seek_ns = 1e6 + 100 * static_cast<double>(d);
    commands[d] = {seek_ns, 10e3, 8};
    mtbrcs[d] = {seek_ns - 100e3, 10e3, 20};
  }
  REQUIRE(constant_between(commands, mtbrcs));
  CHECK_FALSE(constant_between(commands, mtbrcs)->stranger);
  mtbrcs[6000].value -= 400e3;
  const auto found = constant_between(commands, mtbrcs);
  REQUIRE(found);
  CHECK(found->stranger == 6000);
  CHECK(found->value_ns == Approx(100e3));
  mtbrcs[10].value -= 300e3;  // two of them are no chance
  CHECK_FALSE(constant_between(commands, mtbrcs));
}

TEST_CASE("seeks of writes: without a permission nothing is known, nor a curve invented") {
  SeekBench bench(plain_drive());
  model::DriveModel model;
  model.rotation = bench.truth.rotation;
  model.seek = bench.truth.seek;
  model.write_settle.reason = "writes were not allowed (--allow-writes)";
  const WriteSeeks found = measure_write_seeks(bench.context, {}, model);
  CHECK_FALSE(found.curve);
  CHECK_FALSE(found.tied);
  CHECK(bench.context.samples.empty());
}

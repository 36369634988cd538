// The experiments on virtual drives with default imperfections, held against the drives' truth. The
// layout's structure is given, as address translation would; everything else is measured.
#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>
#include <string>

#include "catch.h"
#include "estimate/kept.h"
#include "estimate/zone_fit.h"
#include "mtbrc/access.h"
#include "mtbrc/angle.h"
#include "mtbrc/known.h"
#include "mtbrc/overheads.h"
#include "mtbrc/rotation.h"
#include "mtbrc/seek.h"
#include "mtbrc/switches.h"
#include "scsi/guard.h"
#include "statistics/circular.h"
#include "virtual_drive/open.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;
using namespace platter::estimate;
using namespace platter::mtbrc;

namespace {

model::LayoutNode without_angles(model::LayoutNode node) {
  node.angle_rev = node.angle_step_rev = 0;
  for (model::LayoutNode& child : node.children) child = without_angles(child);
  return node;
}

double seek_ms(const model::Seek& seek, double distance) {
  std::size_t i = 1;
  while (i + 1 < seek.points.size() && seek.points[i].cylinders < distance) ++i;
  const auto &a = seek.points[i - 1], &b = seek.points[i];
  return a.time_ms +
         (b.time_ms - a.time_ms) * (distance - a.cylinders) / (b.cylinders - a.cylinders);
}

struct DriveBench {
  explicit DriveBench(const std::string& name)
      : DriveBench(virtual_drive::open_virtual(name), [](std::uint64_t blocks) {
          return LbnRange{blocks / 2, blocks / 2 + 20'000};
        }) {}
  // Of a drive that a test made up: rotation and layout are given.
  explicit DriveBench(const model::DriveModel& made)
      : DriveBench(std::make_unique<virtual_drive::VirtualDevice>(made, "a drive that was made up"),
                   [](std::uint64_t blocks) {
                     return LbnRange{0, std::min<std::uint64_t>(blocks / 2, 120'000)};
                   }) {
    context.rotation = made.rotation;
    context.map = &device->layout();
  }
  template <class Range>
  DriveBench(std::unique_ptr<virtual_drive::VirtualDevice> opened, Range range)
      : device(std::move(opened)),
        permission{true, {range(device->layout().blocks())}},
        guard(*device, permission),
        drive(guard, device->name()),
        context(drive, 5) {
    drive.identify();
    drive.settings().set_cache(false, true, true);
  }
  const model::DriveModel& truth() const { return device->truth(); }

  std::unique_ptr<virtual_drive::VirtualDevice> device;
  scsi::Permission permission;
  scsi::Guard guard;
  scsi::Drive drive;
  Context context;
};

void check(const char* what, const model::Parameter& found, double truth, double low, double high) {
  INFO(what << ": " << found.value.value_or(NAN) << " +- " << found.error.value_or(NAN)
            << ", truth " << truth << " " << found.reason);
  REQUIRE(found);
  CHECK(*found.value - truth > low - 4 * *found.error);
  CHECK(*found.value - truth < high + 4 * *found.error);
}

}  // namespace

TEST_CASE("a virtual drive: rotation, angles, seeks, switches and overheads against the truth") {
  const std::string name = GENERATE("virtual:quantum-atlas10k?seed=11",
                                    "virtual:ibm-ultrastar18es?seed=12");
  INFO(name);
  DriveBench bench(name);
  Context& context = bench.context;
  const model::DriveModel& truth = bench.truth();

  const RotationEstimate rotation = measure_rotation(context, 0);
  REQUIRE(rotation.outcome == RotationOutcome::measured);
  const double period = static_cast<double>(truth.rotation.numerator_ns) /
                        static_cast<double>(truth.rotation.denominator);
  CHECK(std::abs(*rotation.rotation.period.value - period) < 4 * *rotation.rotation.period.error);
  CHECK(rotation.relative_error() < 1.5e-7);

  model::Layout blind = truth.layout;
  for (model::LayoutNode& zone : blind.zones) zone = without_angles(zone);
  const LayoutAngles angles = measure_layout_angles(context, blind);
  CHECK(angles.complete);
  CHECK(angles.layout.zones.size() == blind.zones.size());
  const engine::LayoutMap map(angles.layout);
  const engine::LayoutMap& real = bench.device->layout();
  const double origin = engine::rev_from_angle(real.angle_of_lbn(0));
  double squares = 0, worst = 0;
  constexpr std::uint64_t kTracks = 1000;
  for (std::uint64_t i = 0; i < kTracks; ++i) {
    const std::uint64_t slot = (map.slots() - 1) / (kTracks - 1) * i;
    const double error_us =
        statistics::wrap_rev(engine::rev_from_angle(map.track_of_slot(slot).angle) -
                             engine::rev_from_angle(real.track_of_slot(slot).angle) + origin) *
        period * 1e-3;
    squares += error_us * error_us / kTracks;
    worst = std::max(worst, std::abs(error_us));
  }
  CHECK(std::sqrt(squares) < 8);
  CHECK(worst < 30);
  CHECK(std::sqrt(squares) < 3 * *angles.layout.angle.error * period * 1e-3);

  context.map = &map;
  context.budget = {0, 12 * kSecond};
  const model::Seek seek = measure_seeks(context).seek;
  REQUIRE(seek.points.size() > 20);
  double z = 0;
  for (const model::SeekPoint& point : seek.points) {
    const double error = point.time_ms - seek_ms(truth.seek, point.cylinders);
    z += std::pow(error / *point.error_ms, 2) / static_cast<double>(seek.points.size());
    CHECK(std::abs(error) < 0.1);
  }
  CHECK(std::sqrt(z) < 1.8);
  // The whole curve is seen even with a short budget.
  CHECK(seek.points.back().cylinders > 0.99 * map.cylinders());

  context.budget = {};
  // Host delay and what noise cannot make shorter are within effective values: up to some 40 us.
  measure_head_switch(context);
  const HeadSwitch head_switch = known(context).of<Figure::head_switch>();
  check("head switch", head_switch.time, *truth.head_switch.value, -0.02, 0.01);
  CHECK(head_switch.uniform);
  measure_write_settle(context, bench.permission.writes);
  measure_miss_overheads(context, bench.permission.writes);
  bench.drive.settings().set_cache(true, false, false);
  measure_hit_overheads(context, bench.permission.writes);
  Estimates found = known(context);
  check("block transfer", found.of<Figure::block_transfer>(), *truth.bus.block_transfer.value,
        -1e-4, 1e-4);
  const model::Overheads &o = found.of<Figure::overheads>(), &t = truth.overheads;
  check("write settle", found.of<Figure::write_settle>(), *truth.write_settle.value, -0.03, 0.03);
  check("read hit", o.read_hit_after_read, *t.read_hit_after_read.value, 0, 0.04);
  check("read miss", o.read_miss_after_read, *t.read_miss_after_read.value, 0, 0.04);
  check("read after write", o.read_miss_after_write, *t.read_miss_after_write.value, 0, 0.04);
  check("write after read", o.write_miss_after_read, *t.write_miss_after_read.value, 0, 0.04);
  check("write after write", o.write_miss_after_write, *t.write_miss_after_write.value, 0, 0.04);
  check("write hit", o.write_hit_after_read, *t.write_hit_after_read.value, 0, 0.04);
  check("write hit", o.write_hit_after_write, *t.write_hit_after_write.value, 0, 0.04);

  // A kept run tells the same again.
  const Samples again = kept_and_read(context.samples);
  const LayoutAngles refit = estimate_layout_angles(again, context.rotation, angles.layout);
  CHECK(refit.layout.zones[0].angle_rev == Approx(angles.layout.zones[0].angle_rev).margin(1e-12));
  CHECK(Estimates(again, &map, context.rotation).of<Figure::seeks>().seek.points.size() ==
        seek.points.size());
}

TEST_CASE("what all reads share is measured sharper than any one seek") {
  DriveBench bench(virtual_drive::virtual_model("virtual:quantum-atlas10k?seed=8"));
  Context& context = bench.context;
  measure_seeks(context);
  const ReadTimes before = known(context).of<Figure::read_times>();
  measure_head_switch(context);
  const HeadSwitch head_switch = known(context).of<Figure::head_switch>();
  measure_miss_overheads(context, bench.permission.writes);
  measure_write_settle(context, bench.permission.writes);
  const ReadTimes reads = known(context).of<Figure::read_times>();
  REQUIRE(before.constant);
  REQUIRE(reads.constant);
  INFO("the constant's error " << before.constant->error_ns << " ns, then "
                               << reads.constant->error_ns);
  CHECK(reads.constant->error_ns < 3.3e3);
  const model::Overheads found = known(context).of<Figure::overheads>();
  CHECK(*head_switch.time.error < 0.004);
  CHECK(*found.read_miss_after_read.error < 0.0036);
  CHECK(*found.read_miss_after_write.error < 0.0048);
  const model::Parameter settle = known(context).of<Figure::write_settle>();
  CHECK(*settle.error < 0.0065);
}

TEST_CASE("reads that a write before keeps from the cache are tried a few times only") {
  std::ptrdiff_t slow = 0;
  constexpr int kRuns = 4;
  for (int seed = 1; seed <= kRuns; ++seed) {
    DriveBench bench(
        virtual_drive::virtual_model("virtual:seagate-barracuda4lp?seed=" + std::to_string(seed)));
    Context& context = bench.context;
    bench.drive.settings().set_cache(true, false, false);
    OverheadOptions options;
    options.hits = 16;
    measure_hit_overheads(context, bench.permission.writes, options);
    std::ptrdiff_t reads = 0;
    for (const Sample& sample : context.samples) {
      if (sample.experiment != Experiment::hit || sample.write || !sample.after_write) continue;
      ++reads;
      slow += static_cast<double>(sample.completed_ns - sample.issued_ns) >
              0.3 * context.period_ns();
    }
    CHECK(reads >= 8);
  }
  CAPTURE(slow);
  CHECK(slow <= 6 * kRuns);  // of 8 in each run if either kind had its turn
}

TEST_CASE("the write settle of a drive of one head is found by writes to the next cylinder") {
  model::DriveModel truth = virtual_drive::virtual_model("virtual:quantum-atlas10k?seed=8");
  model::LayoutNode zone;
  zone.count = 2000;
  zone.cylinder_step = 1;
  zone.angle_step_rev = 0.25;
  zone.sectors = 120;
  truth.layout.zones = {zone};
  truth.layout.skips.clear();
  truth.layout.remaps.clear();
  truth.identity.blocks = 240'000;
  truth.identity.heads = 1;
  truth.identity.cylinders = 2000;
  truth.write_settle.value = 0.9;
  DriveBench bench(truth);
  Context& context = bench.context;
  const engine::LayoutMap& map = *context.map;
  context.budget = {0, 12 * kSecond};
  measure_seeks(context);
  context.budget = {};
  const model::Seek reads =
      Estimates(context.samples, &map, truth.rotation).of<Figure::seeks>().seek;
  measure_write_settle(context, bench.permission.writes);
  check("write settle", Estimates(context.samples, &map, truth.rotation).of<Figure::write_settle>(),
        *truth.write_settle.value, -0.03, 0.03);
  // The writes leave the seek curve, which is of reads, alone.
  CHECK(Estimates(context.samples, &map, truth.rotation)
            .of<Figure::seeks>()
            .seek.points.front()
            .samples == reads.points.front().samples);
}

TEST_CASE("the write settle is told from a least delay of writes that hides a block's transfer") {
  model::DriveModel truth = virtual_drive::virtual_model("virtual:quantum-atlas10k?seed=8");
  truth.cache.zero_latency_write.value = 1;
  truth.overheads.minimum_seek_delay.value = 0.6;
  truth.write_settle.value = 0.9;
  DriveBench bench(truth);
  Context& context = bench.context;
  measure_same_track(context, false, false, 0.004);
  measure_head_switch(context);
  const model::Parameter settle = measure_write_settle(context, bench.permission.writes);
  measure_miss_overheads(context, bench.permission.writes);
  check("write settle", settle, 0.9, -0.01, 0.01);
  CHECK(*settle.error < 0.015);
  CHECK_FALSE(settle.reason.empty());
  // Writes behind writes, which tell nothing there, are not timed over heads.
  CHECK(std::ranges::none_of(context.samples, [](const Sample& sample) {
    return sample.experiment == Experiment::head_switch && sample.write && sample.after_write;
  }));
  Estimates made = known(context);
  const model::Overheads found = made.of<Figure::overheads>();
  check("least delay", found.minimum_seek_delay, 0.6, -0.01, 0.01);
  check("write after read", found.write_miss_after_read,
        *truth.overheads.write_miss_after_read.value, 0, 0.04);
  check("write after write", found.write_miss_after_write,
        *truth.overheads.write_miss_after_write.value, 0, 0.04);
  check("a block written", made.of<Figure::write_block_transfer>(), *truth.bus.block_transfer.value,
        -0.003, 0.003);
}

TEST_CASE("a command that was turned away and sent again is no sample") {
  model::DriveModel truth = virtual_drive::virtual_model("virtual:quantum-atlas10k?seed=8");
  truth.imperfections->busy_share = 0.3;
  virtual_drive::VirtualDevice device(truth, "a busy drive");
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, "a busy drive");
  Context context(drive, 5);
  drive.identify();
  Accesses accesses(context);
  int dropped = 0;
  constexpr int kReads = 100;
  for (int i = 0; i < kReads; ++i) {
    const Nanoseconds asked_ns = drive.now_ns();
    const std::uint64_t busy = drive.busy_replies();
    const auto sample = accesses.read(Experiment::other, 1000 * static_cast<std::uint64_t>(i));
    CHECK(sample.has_value() == (drive.busy_replies() == busy));
    CHECK(accesses.last().has_value() == sample.has_value());
    if (sample) CHECK(sample->issued_ns - asked_ns < kMicrosecond);
    dropped += sample ? 0 : 1;
  }
  CHECK(dropped > 10);
  CHECK(context.samples.size() == static_cast<std::size_t>(kReads - dropped));
}

TEST_CASE("angles that the layout cannot hold are not passed off as known") {
  // Every track ends with spares that no LBN tells of: with 15 sectors where there are 20, sectors
  // lie up to a quarter of a turn from where such a layout has them.
  model::DriveModel truth = virtual_drive::virtual_model("virtual:quantum-atlas10k?seed=8");
  const auto layout_of = [](std::uint32_t sectors) {
    model::LayoutNode zone;
    zone.count = 2000;
    zone.cylinder_step = 1;
    zone.angle_step_rev = 0.25;
    zone.sectors = sectors;
    model::Layout layout;
    layout.zones = {zone};
    return layout;
  };
  truth.layout = layout_of(20);
  truth.layout.skips = {{15, 5, 2000, 20}};
  truth.identity.blocks = 30'000;
  truth.identity.heads = 1;
  truth.identity.cylinders = 2000;
  virtual_drive::VirtualDevice device(truth, "a drive with spares");
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, "a drive with spares");
  Context context(drive, 5);
  drive.identify();
  drive.settings().set_cache(false, true, true);
  context.rotation = truth.rotation;
  const LayoutAngles wrong = measure_layout_angles(context, layout_of(15));
  CHECK(wrong.layout.angle.error.value_or(1) > 0.03);
  CHECK_FALSE(wrong.layout.angle.reason.empty());
  context.samples.clear();
  const LayoutAngles right = measure_layout_angles(context, truth.layout);
  REQUIRE(right.layout.angle.error);
  CHECK(*right.layout.angle.error < 0.003);
  CHECK(right.layout.angle.reason.empty());
}

TEST_CASE("a virtual drive without permission to write: no writes, and the reason is told") {
  DriveBench bench("virtual:quantum-atlas10k?seed=3");
  Context& context = bench.context;
  measure_rotation(context, 0);
  const engine::LayoutMap& map = bench.device->layout();
  context.map = &map;
  CHECK_FALSE(measure_write_settle(context, {}));
  measure_miss_overheads(context, {});
  const model::Overheads found = known(context).of<Figure::overheads>();
  CHECK(found.read_miss_after_read);
  CHECK_FALSE(found.write_miss_after_read);
  CHECK_FALSE(found.write_miss_after_read.reason.empty());
  CHECK_FALSE(found.read_hit_after_read);
  CHECK(bench.drive.bytes_written() == 0);
}

TEST_CASE("a zone whose map follows no rule is not read for its angles, and the others are") {
  DriveBench bench(virtual_drive::virtual_model("virtual:hp-c2247?seed=8"));
  Context& context = bench.context;
  model::Layout layout = bench.device->truth().layout;
  for (model::LayoutNode& zone : layout.zones) zone = without_angles(zone);
  // Every cylinder of the first zone by itself.
  model::LayoutNode& odd = layout.zones[0];
  REQUIRE(odd.count > kMostUnknowns);
  model::LayoutNode apart;
  for (std::uint32_t i = 0; i < odd.count; ++i) {
    model::LayoutNode cylinder = odd;
    cylinder.count = 1;
    cylinder.cylinder += static_cast<std::int32_t>(i) * odd.cylinder_step;
    apart.children.push_back(cylinder);
  }
  odd = apart;
  const engine::LayoutMap map(layout);
  context.map = &map;
  context.budget = {0, 20 * kSecond};
  const LayoutAngles angles = measure_layout_angles(context, layout);
  CHECK_FALSE(angles.complete);
  CHECK(std::ranges::any_of(angles.notes, [](const model::Noted& note) {
    return note.text().find("zone 0 has") != std::string::npos;
  }));
  for (const Sample& sample : context.samples)
    if (sample.experiment == Experiment::angle)
      REQUIRE(map.track_of_slot(map.slot_of_lbn(sample.lbn)).zone != 0);
  for (std::size_t zone = 0; zone < angles.zone_error_rev.size(); ++zone)
    CHECK((angles.zone_error_rev[zone] < kSureUnwrap_rev) == (zone != 0));
}

// Time that does not go on evenly, and what is carried on for longer than it is sure.
#include <cmath>
#include <optional>
#include <random>

#include "catch.h"
#include "estimate/estimates.h"
#include "estimate/phase_drift.h"
#include "estimate/phase_jumps.h"
#include "estimate/zone_shape.h"
#include "mtbrc/access.h"
#include "mtbrc/angle.h"
#include "mtbrc/rotation.h"
#include "mtbrc/seek.h"
#include "mtbrc/time_watch.h"
#include "plain_disk.h"
#include "plain_run.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "statistics/circular.h"
#include "virtual_drive/open.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;
using namespace platter::estimate;
using namespace platter::mtbrc;

namespace {

constexpr double kPeriod_ns = 60e9 / 7200;

// Bursts of reads of one sector; from each `steps` on the clock is so much on.
std::vector<Nanoseconds> completions(std::mt19937_64& random, const std::vector<double>& steps_s,
                                     double step_ns) {
  std::normal_distribution<double> noise(0, 20e3);
  std::vector<Nanoseconds> times;
  double turn = 5;
  for (int burst = 0; burst < 60; ++burst) {
    for (int i = 0; i < (burst == 0 ? 32 : 4); ++i, ++turn) {
      double time = turn * kPeriod_ns + noise(random);
      for (const double step : steps_s)
        if (turn * kPeriod_ns > step * 1e9) time += step_ns;
      if (std::bernoulli_distribution(0.03)(random)) time += 1.5e6;
      times.push_back(static_cast<Nanoseconds>(time));
    }
    turn += 30;
  }
  return times;
}

Samples rotation_samples(const std::vector<Nanoseconds>& times) {
  Samples samples;
  for (const Nanoseconds time : times)
    samples.push_back({.experiment = Experiment::rotation, .lbn = 7, .completed_ns = time});
  return samples;
}

}  // namespace

TEST_CASE("phase jumps: steps of the clock are found, single late completions are none") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    const auto even = completions(random, {}, 0), uneven = completions(random, {4, 9}, 1e6);
    const auto found_in = [](const std::vector<Nanoseconds>& times) {
      return phase_jumps(times, kPeriod_ns * (1 + 2e-6), 1e-5, 20e3);
    };
    CHECK(found_in(even).empty());
    const auto found = found_in(uneven);
    REQUIRE(found.size() == 2);
    CHECK(std::abs(found[0] - 4e9) < 0.4e9);
    CHECK(std::abs(found[1] - 9e9) < 0.4e9);
  }
}

TEST_CASE("rotation: a clock that steps leaves the period within its error") {
  double squares = 0;
  constexpr int kSeeds = 60;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::mt19937_64 random(seed);
    const auto found =
        estimate_rotation(rotation_samples(completions(random, {2.5, 6.5, 11}, 1e6)));
    REQUIRE(found.outcome == RotationOutcome::measured);
    squares += std::pow((*found.rotation.period.value - kPeriod_ns) / *found.rotation.period.error,
                        2);
  }
  CHECK(std::sqrt(squares / kSeeds) < 1.4);
}

TEST_CASE("rotation: the error of a period that drifts holds it at begin and end") {
  constexpr double kDrift = 6e-6, kTurns = 12000;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, 20e3);
    Samples samples;
    for (double turn = 0; turn < kTurns; turn += turn < 200 || std::fmod(turn, 240) < 4 ? 1 : 236) {
      // The integral of a period that grows from -3 to +3 ppm.
      const double share = turn / kTurns;
      const double time = turn * kPeriod_ns * (1 + kDrift * (share - 1) / 2) + noise(random);
      samples.push_back({.experiment = Experiment::anchor,
                         .lbn = 7,
                         .completed_ns = static_cast<Nanoseconds>(time)});
    }
    const auto found = estimate_rotation(samples);
    REQUIRE(found.outcome == RotationOutcome::measured);
    const double error = *found.rotation.period.error, value = *found.rotation.period.value;
    CHECK(found.drift_ppm == Approx(6).margin(2));
    for (const double end : {-kDrift / 2, kDrift / 2})
      CHECK(std::abs(kPeriod_ns * (1 + end) - value) < 2 * error);
    CHECK(error < kPeriod_ns * kDrift);
  }
}

TEST_CASE("rotation: a drift that the spindle's wander hides is in the error all the same") {
  constexpr double kTurns = 6000;  // 36 s
  constexpr int kSeeds = 40;
  for (const double drift : {0.0, 2e-6}) {
    int within = 0;
    double errors = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      std::mt19937_64 random(seed);
      std::normal_distribution<double> noise(0, 20e3);
      const double phase = std::uniform_real_distribution<double>(0, 6.28)(random);
      Samples samples;
      for (double turn = 0; turn < kTurns;
           turn += turn < 200 || std::fmod(turn, 240) < 4 ? 1 : 236) {
        const double share = turn / kTurns, even = turn * kPeriod_ns;
        // 5 ppm to and fro in 7 s, and the integral of a period that grows.
        const double wander = 5e-6 * 7e9 / 6.283 * std::sin(6.283 * even / 7e9 + phase);
        samples.push_back({.experiment = Experiment::anchor,
                           .lbn = 7,
                           .completed_ns = static_cast<Nanoseconds>(
                               even * (1 + drift * (share - 1) / 2) + wander + noise(random))});
      }
      const auto found = estimate_rotation(samples);
      REQUIRE(found.outcome == RotationOutcome::measured);
      const model::Rotation whole = found.of_whole_run();
      const double error = *whole.period.error, value = *whole.period.value;
      errors += error / kPeriod_ns * 1e6 / kSeeds;
      bool both = true;
      for (const double end : {-drift / 2, drift / 2})
        both = both && std::abs(kPeriod_ns * (1 + end) - value) < 2 * error;
      within += both ? 1 : 0;
    }
    INFO(drift << ": mean error " << errors << " ppm");
    CHECK(within >= kSeeds - 2);
    CHECK(errors < 1.5);
  }
}

TEST_CASE("phase drift: each session has its own phase, and neither spoils the other") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 10e3);
  model::Rotation rotation;
  rotation.numerator_ns = static_cast<std::uint64_t>(kPeriod_ns * 1000);
  rotation.denominator = 1000;
  Samples anchors;
  for (int burst = 0; burst < 40; ++burst)
    for (int i = 0; i < 4; ++i) {
      const bool later = burst >= 15;
      const double turn = burst * 90 + i + (later ? 0.37 : 0);
      anchors.push_back(
          {.experiment = Experiment::anchor,
           .lbn = 7,
           .completed_ns = static_cast<Nanoseconds>(turn * kPeriod_ns + noise(random)),
           .session = later ? 1u : 0u});
    }
  const PhaseDrift drift(anchors, rotation);
  CHECK(drift.knows(1));
  CHECK_FALSE(drift.knows(2));
  CHECK(drift.wander_rev() < 0.002);
  CHECK(statistics::wrap_rev(drift.at_rev(10 * kSecond, 0)) == Approx(0).margin(0.002));
  CHECK(statistics::wrap_rev(drift.at_rev(20 * kSecond, 1) - 0.37) == Approx(0).margin(0.002));
}

TEST_CASE("phase drift: of a few bursts, some of them close together, the stated error holds") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 10e3);
  model::Rotation rotation;
  rotation.numerator_ns = static_cast<std::uint64_t>(kPeriod_ns * 1000);
  rotation.denominator = 1000;
  constexpr int kRuns = 400;
  constexpr double kAt = 400;  // turns: between the last two
  double squares = 0;
  for (int run = 0; run < kRuns; ++run) {
    Samples anchors;
    for (const double burst : {0, 120, 240, 260, 280, 300, 320, 440})
      for (int i = 0; i < 4; ++i)
        anchors.push_back({.experiment = Experiment::anchor,
                           .lbn = 7,
                           .completed_ns = static_cast<Nanoseconds>((burst + i + 1) * kPeriod_ns +
                                                                    noise(random))});
    const PhaseDrift drift(anchors, rotation);
    const auto at_ns = static_cast<Nanoseconds>(kAt * kPeriod_ns);
    double variance = 0;
    for (const double part_rev : drift.error_at(at_ns, 0).by_rev) variance += part_rev * part_rev;
    squares += std::pow(statistics::wrap_rev(drift.at_rev(at_ns, 0)), 2) / variance / kRuns;
  }
  INFO("RMS of error over stated error " << std::sqrt(squares));
  CHECK(std::sqrt(squares) > 1 / 1.2);
  CHECK(std::sqrt(squares) < 1.2);
}

TEST_CASE("passages: no seek moves by more than its error where the period is off by some ppm") {
  const plain::Shape shape = plain::small_shape();
  plain::Disk disk(shape, 4);
  plain::Run run(disk, 4, {.target_relative_error = 1.5e-6});
  Context& context = run.context;
  run.drive.rest_ns(300 * kSecond);
  context.budget = {0, 10 * kSecond};
  const model::Seek seek = measure_seeks(context).seek;
  REQUIRE(seek.points.size() > 10);
  for (const double ppm : {-3.0, -1.5, -0.5, 0.5, 1.0, 3.0}) {
    model::Rotation moved = context.rotation;
    moved.numerator_ns =
        static_cast<std::uint64_t>(static_cast<double>(moved.numerator_ns) * (1 + ppm * 1e-6));
    const model::Seek again = Estimates(context.samples, &run.map, moved).of<Figure::seeks>().seek;
    REQUIRE(again.points.size() == seek.points.size());
    for (std::size_t i = 0; i < seek.points.size(); ++i) {
      INFO(ppm << " ppm, " << seek.points[i].cylinders << " cylinders");
      CHECK(std::abs(again.points[i].time_ms - seek.points[i].time_ms) < *seek.points[i].error_ms);
    }
  }
}

namespace {

struct Watched {
  explicit Watched(const model::Imperfections& imperfections,
                   const std::optional<model::Layout>& layout = {})
      : device(with(imperfections, layout), "a drive"), guard(device, {}), drive(guard, "a drive") {
    drive.identify();
    drive.settings().set_cache(false, true, true);
    context.rotation = device.truth().rotation;
    drive.on_command([this](const scsi::CommandRecord&) { watch.after_command(); });
    watch.refer_to(0);
  }
  static model::DriveModel with(const model::Imperfections& imperfections,
                                const std::optional<model::Layout>& layout) {
    model::DriveModel model = virtual_drive::virtual_model("virtual:quantum-atlas10k?seed=8");
    if (layout) model.layout = *layout;
    model.imperfections = imperfections;
    return model;
  }
  // Reads here and there for so long.
  void read_for(Nanoseconds time_ns) {
    Accesses accesses(context);
    const Nanoseconds end_ns = drive.now_ns() + time_ns;
    while (drive.now_ns() < end_ns)
      accesses.probe(Experiment::other, context.random() % 10'000'000);
  }

  virtual_drive::VirtualDevice device;
  scsi::Guard guard;
  scsi::Drive drive;
  Context context{drive, 5};
  std::vector<TimeJump> jumps;
  TimeWatch watch{context, [this](const TimeJump& jump, std::size_t from) {
                    jumps.push_back(jump);
                    disturb(context.samples, from);
                  }};
};

}  // namespace

TEST_CASE("time watch: an even time has one session, however noisy the drive") {
  model::Imperfections noisy =
      virtual_drive::virtual_model("virtual:quantum-atlas10k?seed=8").imperfections.value();
  noisy.slow_access_share = 0.05;
  Watched watched(noisy);
  watched.read_for(120 * kSecond);
  CHECK(watched.jumps.empty());
  std::size_t anchors = 0;
  for (const Sample& s : watched.context.samples)
    anchors += s.experiment == Experiment::anchor ? 1 : 0;
  CHECK(anchors > 100);
}

TEST_CASE("time watch: a host that sleeps begins a session each time") {
  model::Imperfections sleepy =
      virtual_drive::virtual_model("virtual:quantum-atlas10k?seed=8").imperfections.value();
  sleepy.host_sleep_every_s = 25;
  sleepy.host_sleep_s = 5;
  Watched watched(sleepy);
  watched.read_for(240 * kSecond);
  REQUIRE(watched.jumps.size() > 5);
  for (const TimeJump& jump : watched.jumps) {
    CHECK(jump.kind == TimeJump::Kind::slept);
    CHECK(jump.by_ns > 1.9 * kSecond);
    CHECK(jump.by_ns < 8.1 * kSecond);
  }
  CHECK(watched.context.session == watched.jumps.size());
}

TEST_CASE("time watch: steps of the clock are seen by the reference sector, and by how much") {
  model::Imperfections uneven =
      virtual_drive::virtual_model("virtual:quantum-atlas10k?seed=8").imperfections.value();
  uneven.clock_step_every_s = 10;
  uneven.clock_step_ms = 1;
  Watched watched(uneven);
  watched.read_for(240 * kSecond);
  CHECK(watched.jumps.size() > 15);
  for (const TimeJump& jump : watched.jumps) {
    CHECK(jump.kind == TimeJump::Kind::stepped);
    CHECK(to_ms(jump.by_ns) == Approx(1).margin(0.1));
  }
}

// A zone of the map whose rule breaks at one cylinder, and nowhere else.
TEST_CASE(
    "angles: where the clock steps while a break is looked for, no zone is divided elsewhere") {
  for (const std::uint64_t seed : {8, 19, 24}) {
    model::Imperfections uneven =
        virtual_drive::virtual_model("virtual:quantum-atlas10k?seed=8").imperfections.value();
    uneven.seed = seed;
    uneven.clock_step_every_s = 1;
    uneven.clock_step_ms = 1;
    const model::Layout map = virtual_drive::virtual_model("virtual:quantum-atlas10k").layout;
    model::Layout broken = map;
    const std::uint32_t cut = map.zones[1].count / 3;
    const auto parts = split_zone(map.zones[1], 0, cut);
    broken.zones[1] = parts[0];
    broken.zones.insert(broken.zones.begin() + 2, parts[1]);
    for (std::size_t zone = 2; zone < broken.zones.size(); ++zone)
      broken.zones[zone].angle_rev = statistics::turn_rev(broken.zones[zone].angle_rev + 0.26);
    Watched watched(uneven, broken);
    const auto found = measure_layout_angles(watched.context, map).layout;
    INFO("seed " << seed);
    CHECK(found.zones.size() == map.zones.size() + 1);
    CHECK(found.zones[1].count == cut);
  }
}

// By what a timing experiment reaches the media, and the rotation where nothing passes the cache.
#include "mtbrc/probe.h"

#include <cmath>
#include <random>
#include <set>

#include "catch.h"
#include "estimate/walked_rotation.h"
#include "mtbrc/access.h"
#include "mtbrc/rotation.h"
#include "scsi/guard.h"
#include "scsi/read_blocks.h"
#include "virtual_drive/open.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;
using namespace platter::estimate;
using namespace platter::mtbrc;

namespace {

// With the caches off as far as they go.
struct ProbeBench {
  explicit ProbeBench(const std::string& name)
      : device(virtual_drive::open_virtual(name)),
        guard(*device, {true, {}}),
        drive(guard, device->name()),
        context(drive, 5) {
    drive.identify();
    drive.settings().set_cache(false, true, true);
  }
  double period_ns() const { return model::revolution_ns(device->truth().rotation); }

  std::unique_ptr<virtual_drive::VirtualDevice> device;
  scsi::Guard guard;
  scsi::Drive drive;
  Context context;
};

// A walk of one read a sector, downwards over tracks of so many sectors, with a skew between them.
Samples walk(double period_ns, double noise_ns, int sectors, double skew_rev, int reads,
             std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, noise_ns);
  Samples samples;
  double time_ns = 12e9;
  for (int i = 0; i < reads; ++i) {
    const int lbn = 100'000 - i;
    const double angle = static_cast<double>(lbn % sectors) / sectors + lbn / sectors * skew_rev;
    const double rest = std::uniform_real_distribution<double>(0, i < 40 ? 40e6 : 300e6)(random);
    time_ns = (std::ceil((time_ns + rest + 0.1e6) / period_ns - angle) + angle) * period_ns;
    Sample sample;
    sample.experiment = Experiment::rotation;
    sample.lbn = static_cast<std::uint64_t>(lbn);
    sample.issued_ns = static_cast<Nanoseconds>(time_ns - 4e6);
    sample.completed_ns = static_cast<Nanoseconds>(time_ns + noise(random));
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace

TEST_CASE("the way to the media: by what is taken and by what waits for the platter") {
  const auto way_of = [](const std::string& name) {
    ProbeBench bench(name);
    return find_way_to_media(bench.context, 700'000);
  };
  CHECK(way_of("virtual:cache-base?seed=3").probe == Probe::read);
  CHECK(way_of("virtual:cache-fixed-page?seed=3").probe == Probe::forced_read);
  const WayToMedia verify = way_of("virtual:cache-fixed-page?seed=3&fua=no");
  CHECK(verify.probe == Probe::verify);
  CHECK_FALSE(verify.reads_once);
  CHECK(verify.why_not == "READ is answered by the cache, READ with FUA is refused");
}

TEST_CASE("whole revolutions apart: any speed, not what follows the commands") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 30e3);
  std::uniform_real_distribution<double> rest_ns(0, 40e6);
  int taken_for_media = 0;
  for (int i = 0; i < 300; ++i) {
    const double period_ns = 60e9 / std::uniform_real_distribution<double>(3'600, 15'000)(random);
    const double answer_ns = std::uniform_real_distribution<double>(0.1e6, 6e6)(random);
    std::vector<Nanoseconds> media, cache;
    double media_ns = 0, cache_ns = 0;
    for (int k = 0; k < 17; ++k) {
      const double rest = rest_ns(random);
      media_ns = std::ceil((media_ns + rest) / period_ns + 0.1) * period_ns;
      cache_ns += rest + answer_ns;
      media.push_back(static_cast<Nanoseconds>(media_ns + noise(random)));
      cache.push_back(static_cast<Nanoseconds>(cache_ns + noise(random)));
    }
    CHECK(whole_revolutions_apart(media));
    taken_for_media += whole_revolutions_apart(cache) ? 1 : 0;
  }
  CHECK(taken_for_media <= 2);
}

TEST_CASE("an access by VERIFY says so in its sample, and leaves a block fresh") {
  ProbeBench bench("virtual:cache-fixed-page?seed=3&fua=no");
  bench.context.probe = Probe::verify;
  Accesses accesses(bench.context);
  const auto verified = accesses.probe(Experiment::other, 5000);
  REQUIRE(verified);
  CHECK(verified->verify);
  CHECK(is_fresh(bench.context, 5000));
  const auto read = accesses.read(Experiment::other, 5000);
  REQUIRE(read);
  CHECK_FALSE(read->verify);
  CHECK_FALSE(is_fresh(bench.context, 5000));
  CHECK(is_fresh(bench.context, 5001));
  bench.context.read_ahead_reach = 10;
  CHECK_FALSE(is_fresh(bench.context, 5010));
  CHECK(is_fresh(bench.context, 5011));
  CHECK(is_fresh(bench.context, 4990, 10));
}

TEST_CASE("blocks that were read are remembered, however they came") {
  scsi::ReadBlocks blocks;
  std::set<std::uint64_t> truth;
  std::mt19937_64 random(3);
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t first = random() % 5000, last = first + random() % 7;
    bool any = false;
    for (std::uint64_t b = first; b <= last; ++b) any |= truth.contains(b);
    REQUIRE(blocks.any_of({first, last}) == any);
    if (i % 4 != 0) continue;
    blocks.add({first, last});
    for (std::uint64_t b = first; b <= last; ++b) truth.insert(b);
  }
}

TEST_CASE("a walk downwards tells the period, whatever the tracks' length and skew") {
  std::mt19937_64 random(11);
  double squares = 0;
  constexpr int kCases = 60;
  for (int i = 0; i < kCases; ++i) {
    const double period_ns = 60e9 / std::uniform_real_distribution<double>(3'600, 15'000)(random);
    const int sectors = std::uniform_int_distribution<int>(70, 3000)(random);
    const double noise_ns = std::uniform_real_distribution<double>(5e3, 40e3)(random);
    const Samples samples = walk(period_ns, noise_ns, sectors, 0.173, 200, random);
    REQUIRE(is_walk(samples));
    INFO(60e9 / period_ns << " rpm, " << sectors << " sectors, noise " << noise_ns);
    const RotationEstimate found = estimate_rotation(samples);
    REQUIRE(found.outcome == RotationOutcome::measured);
    const double error_ns = *found.rotation.period.value - period_ns;
    CHECK(std::abs(error_ns) < 2e-5 * period_ns);
    squares += std::pow(error_ns / *found.rotation.period.error, 2);
  }
  CHECK(std::sqrt(squares / kCases) > 0.5);
  CHECK(std::sqrt(squares / kCases) < 1.4);
}

TEST_CASE("where nothing passes the cache the rotation comes from blocks that are read once") {
  for (const char* name : {"virtual:sat-disk?seed=4", "virtual:quantum-atlas10k?seed=4"}) {
    ProbeBench bench(name);
    bench.context.reads_once = true;
    const std::uint64_t from = bench.drive.blocks() / 2;
    const RotationEstimate found = measure_rotation(bench.context, from);
    REQUIRE(found.outcome == RotationOutcome::measured);
    const double error_ns = *found.rotation.period.value - bench.period_ns();
    CHECK(std::abs(error_ns) < 4 * *found.rotation.period.error);
    CHECK(found.relative_error() < 1e-6);
    std::set<std::uint64_t> read;
    for (const Sample& sample : bench.context.samples) CHECK(read.insert(sample.lbn).second);
  }
}

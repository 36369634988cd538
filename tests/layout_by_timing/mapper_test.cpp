// Whole maps of simulated drives, held against their truth.
#include "layout_by_timing/mapper.h"

#include <utility>

#include "catch.h"
#include "layout_by_timing/judgement.h"
#include "layout_by_timing/mapped.h"

namespace platter::layout_by_timing {
namespace {

SimulatedFormat small_format() {
  SimulatedFormat format;
  format.radii = 6'000;
  format.formats = 8;
  return format;
}

struct Mapping {
  Mapping(const SimulatedFormat& format, std::uint64_t seed, double budget_s = 0)
      : Mapping(SimulatedBands(format, seed), format.period_ns, seed, budget_s) {}
  Mapping(SimulatedBands of, double period_ns, std::uint64_t seed, double budget_s = 0)
      : drive(std::move(of)), mapper(drive, period_ns * (1 + 1e-6), options(seed, budget_s)) {
    mapper.map();
    judged = judge(mapper.runs(), drive);
  }
  static MapperOptions options(std::uint64_t seed, double budget_s) {
    MapperOptions options;
    options.seed = seed;
    options.deadline_ns = static_cast<Nanoseconds>(budget_s * 1e9);
    return options;
  }
  SimulatedBands drive;
  Mapper mapper;
  Judged judged;
};

void require_good(const Mapping& mapping, double share) {
  CAPTURE(mapping.judged.sectors, mapping.judged.first_block, mapping.judged.within_100);
  CHECK(mapping.mapper.complete());
  CHECK(mapping.judged.sectors >= share);
  CHECK(mapping.judged.within_100 >= share);
  CHECK(mapping.judged.first_block >= share);
}

}  // namespace

TEST_CASE("a drive of bands is mapped by its pattern", "[layout_by_timing]") {
  const Mapping mapping(small_format(), 1);
  require_good(mapping, 0.999);
  REQUIRE(mapping.mapper.pattern());
  CHECK(mapping.mapper.pattern()->period() == 4);
  // Most bands are told by the pattern, at far fewer accesses than walking all of them takes.
  CHECK(mapping.mapper.counts().bands_predicted > mapping.drive.bands().size() / 2);
}

TEST_CASE("surfaces may be taken up and down, bands in and out", "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.up_and_down = format.alternates = true;
  const Mapping mapping(format, 2);
  require_good(mapping, 0.995);
  REQUIRE(mapping.mapper.pattern());
  CHECK(mapping.mapper.pattern()->period() == 8);
}

TEST_CASE("surfaces may have tracks of their own width", "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.pitches = {1.0, 0.953, 0.983, 0.927};
  format.up_and_down = GENERATE(false, true);
  const Mapping mapping(format, 3);
  require_good(mapping, 0.99);
  // Bands have now one track more and now one less; it is foreseen when.
  const MapperCounts& counts = mapping.mapper.counts();
  CHECK(counts.longer + counts.shorter < mapping.drive.bands().size() / 8);
}

TEST_CASE("sectors that hold no blocks are found and located", "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.irregular = 60;  // one sector to a whole track each
  const Mapping mapping(format, 4);
  require_good(mapping, 0.98);
  CHECK(mapping.mapper.counts().losses > 20);
}

TEST_CASE("bands of few tracks some of which lost sectors are told by the bands behind them",
          "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.radii = 3'000, format.formats = 8;
  format.band_tracks = GENERATE(1U, 2U, 4U);
  format.irregular = 12;
  CAPTURE(format.band_tracks);
  const Mapping mapping(format, 4);
  // Single tracks: until there are zones, nothing tells surfaces apart.
  require_good(mapping, format.band_tracks == 1 ? 0.95 : 0.98);
  CHECK(mapping.mapper.counts().begun_anew < 6);
}

TEST_CASE("a walk that goes on into tracks of another size shows no spare sectors",
          "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.heads = 10, format.band_tracks = 3, format.radii = 600, format.formats = 1;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Mapping mapping(format, seed);
    require_good(mapping, 0.99);
    CHECK(mapping.mapper.runs().front().spares == 0);
  }
}

TEST_CASE("single tracks of many surfaces are walked one by one until their ring is known",
          "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.heads = 17, format.band_tracks = 1, format.up_and_down = true;
  format.sectors = 420, format.last_sectors = 300, format.formats = 30;
  format.radii = 600, format.spread = 0.02;
  const Mapping mapping(format, 3);
  require_good(mapping, 0.97);
  REQUIRE(mapping.mapper.pattern());
  CHECK(mapping.mapper.pattern()->period() == 34);
}

TEST_CASE("a surface is followed over any number of turns of its skew", "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.heads = 1, format.band_tracks = 40'000, format.radii = 40'000;
  format.formats = 1, format.sectors = 360;
  format.delay_p99_us = 60, format.wobble_ppm = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) require_good(Mapping(format, seed), 0.99);
}

TEST_CASE("short bands from which on the skew is another one are told by it",
          "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.heads = 8, format.band_tracks = 5, format.radii = 2'000, format.skews = 8;
  const Mapping mapping(format, 5);
  require_good(mapping, 0.99);
  CHECK(mapping.mapper.counts().begun_anew < 3);
}

TEST_CASE("many single sectors that hold no blocks are each taken for one", "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.singles = 300;
  constexpr int kDrives = 6;
  double sectors = 0, first_block = 0, within_100 = 0;
  for (int seed = 1; seed <= kDrives; ++seed) {
    const Mapping mapping(format, static_cast<std::uint64_t>(seed));
    require_good(mapping, 0.95);  // a band that is lost costs a small drive much
    sectors += mapping.judged.sectors / kDrives;
    first_block += mapping.judged.first_block / kDrives;
    within_100 += mapping.judged.within_100 / kDrives;
  }
  CHECK(sectors >= 0.99);
  CHECK(first_block >= 0.99);
  CHECK(within_100 >= 0.99);
}

TEST_CASE(
    "a quiet drive of many surfaces most of whose bands lost sectors is mapped by its pattern",
    "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.heads = 20, format.up_and_down = format.alternates = true;
  format.band_tracks = 300, format.radii = 30'000, format.formats = 6;
  format.sectors = 580, format.last_sectors = 550, format.delay_median_us = 4,
  format.delay_p99_us = 20;
  format.singles = 3'100, format.irregular = 260;
  const std::uint64_t seed = GENERATE(1, 2, 3);
  CAPTURE(seed);
  const Mapping mapping(format, seed);
  require_good(mapping, 0.99);
  const MapperCounts& counts = mapping.mapper.counts();
  CHECK(mapping.mapper.pattern()->period() == 40);
  CHECK(counts.begun_anew <= 8);
  CHECK(counts.walks < 250);
}

TEST_CASE("a sector lost at the end of a band that is learnt is none of its pattern",
          "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.radii = 2'400, format.formats = 2;
  const std::uint32_t band = GENERATE(6U, 9U), back = GENERATE(1U, 2U, 4U, 8U, 12U);
  CAPTURE(band, back);
  SimulatedBands drive(format, 12);
  const SimulatedBands::Band& of = drive.bands()[band];
  drive.lose_at(of.first_slot + (of.tracks - back) * of.slots + of.slots / 3, 1);
  require_good(Mapping(std::move(drive), format.period_ns, 12), 0.995);
}

TEST_CASE("bands that end with spare sectors are mapped", "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.spare_tail = 40;
  require_good(Mapping(format, 5), 0.99);
}

TEST_CASE("a jitter as of a bridge makes the map slower, not wrong", "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.radii = 2'400;
  format.sectors = 334, format.last_sectors = 224;
  format.delay_median_us = 30, format.delay_p99_us = 120;
  const Mapping mapping(format, 6);
  CHECK(mapping.mapper.frame().jitter().sigma_rev > 0.001);
  CHECK(mapping.judged.stated_wrong <= 0.02);
  CHECK(mapping.judged.within_100 >= 0.95);
}

TEST_CASE("a spindle that wanders is followed where no block may be read twice",
          "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.forgets = false;
  format.wobble_ppm = 15, format.wobble_s = 40;  // a tenth of a turn to either side
  const Mapping mapping(format, 9);
  require_good(mapping, 0.995);
}

TEST_CASE("shares are judged as well while the spindle wanders", "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.forgets = false;
  format.wobble_ppm = 80, format.wobble_s = 40;
  SimulatedBands drive(format, 9);
  Frame frame(drive, format.period_ns, drive.blocks() / 2);
  Prober prober(drive, frame, 1);
  const auto shares = shares_of(
      offs_of_random_blocks(prober, drive.blocks(), 400,
                            [&](std::uint64_t block) { return drive.truth(block).end_rev; }));
  REQUIRE(shares.size() == 3);
  CHECK(shares[1].share > 0.98);
}

TEST_CASE("delays of the host do not pass for a map that is wrong", "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.forgets = GENERATE(true, false);
  format.delay_p99_us = 200;  // of 42 us that are a two hundredth of a turn
  SimulatedBands drive(format, 9);
  Frame frame(drive, format.period_ns, drive.blocks() / 2);
  Prober prober(drive, frame, 1);
  const auto shares = shares_of(
      offs_of_random_blocks(prober, drive.blocks(), 1000,
                            [&](std::uint64_t block) { return drive.truth(block).end_rev; }));
  REQUIRE(shares.size() == 3);
  CHECK(shares[2].share >= 0.999);
}

TEST_CASE("a switch of heads that turns by nearly two skews is no track that is lost",
          "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  format.wedges = 1000;
  format.spread = 0;
  format.track_skew = 90, format.head_skew = 178, format.cluster_skew = 181;
  const Mapping mapping(format, 10);
  require_good(mapping, 0.995);
}

TEST_CASE("behind a scratch over many tracks the map goes on", "[layout_by_timing]") {
  const SimulatedFormat format = small_format();
  SimulatedBands drive(format, 11);
  const SimulatedBands::Band band = drive.bands()[drive.bands().size() / 2];
  drive.lose_at(band.first_slot + 5ull * band.slots + band.slots / 2, band.slots / 40,
                band.tracks - 8, band.slots);
  const Mapping mapping(std::move(drive), format.period_ns, 11);
  require_good(mapping, 0.99);
}

TEST_CASE("what time does not suffice for is guessed, and said to be", "[layout_by_timing]") {
  SimulatedFormat format = small_format();
  Mapping mapping(format, 7, 6);
  CHECK(static_cast<double>(mapping.drive.now_ns()) * 1e-9 < 7);
  REQUIRE(mapping.mapper.complete());
  CHECK(mapping.mapper.runs().back().standing == Standing::guessed);
  CHECK(mapping.judged.stated_wrong <= 0.01);
}

TEST_CASE("random formats are mapped, or said not to be", "[layout_by_timing]") {
  std::mt19937_64 random(4711);
  const auto pick = [&](std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random() % (most - least + 1));
  };
  double within = 0, stated_wrong = 0;
  constexpr int kDrives = 8;
  for (int i = 0; i < kDrives; ++i) {
    SimulatedFormat format;
    format.heads = pick(2, 8);
    format.band_tracks = pick(20, 200);
    format.radii = 12 * format.band_tracks;
    format.sectors = pick(300, 700);
    format.last_sectors = format.sectors * 2 / 3;
    format.formats = pick(1, 6);
    format.up_and_down = random() % 2 == 0;
    format.irregular = pick(0, 10);
    const Mapping mapping(format, 100 + static_cast<std::uint64_t>(i), 200);
    CAPTURE(i, format.heads, format.band_tracks, format.sectors, format.formats,
            mapping.judged.within_100, mapping.judged.stated_wrong);
    CHECK(mapping.judged.stated_wrong <= 0.1);
    within += mapping.judged.within_100 / kDrives;
    stated_wrong += mapping.judged.stated_wrong / kDrives;
  }
  CAPTURE(within, stated_wrong);
  CHECK(within >= 0.97);
  CHECK(stated_wrong <= 0.02);
}

}  // namespace platter::layout_by_timing

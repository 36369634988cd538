// Surfaces of a map by timing: the times of moves tell on which of them the bands lie.
#include "layout_by_timing/surface_finder.h"

#include "catch.h"
#include "layout_by_timing/mapper.h"
#include "layout_by_timing/simulated_bands.h"
#include "layout_by_timing/to_layout.h"

namespace platter::layout_by_timing {
namespace {

struct Found {
  Found(const SimulatedFormat& format, std::uint64_t seed, SurfaceOptions options = {})
      : drive(format, seed), mapper(drive, format.period_ns * (1 + 1e-6), {.seed = seed}) {
    mapper.map();
    runs = without_gaps(mapper.runs(), drive.blocks());
    if (mapper.pattern()) options.ring = mapper.pattern()->period();
    if (options.most_ns == 0) options.most_ns = from_ms(25e3);
    began_ns = drive.now_ns();
    surfaces = find_surfaces(mapper.prober(), runs, options, false);
  }
  std::uint32_t head(std::size_t run) const {
    return surfaces->best.order.place(surfaces->bands[run]).head;
  }
  // Of pairs of runs, those that lie on one surface in both, or in neither.
  double pairs() const {
    std::size_t right = 0, all = 0;
    for (std::size_t a = 0; a < runs.size(); ++a)
      for (std::size_t b = a + 1; b < std::min(a + 60, runs.size()); ++b, ++all)
        right += (head(a) == head(b)) ==
                 (drive.truth(runs[a].first).head == drive.truth(runs[b].first).head);
    return static_cast<double>(right) / static_cast<double>(all);
  }

  SimulatedBands drive;
  Mapper mapper;
  std::vector<Run> runs;
  Nanoseconds began_ns = 0;
  std::optional<FoundSurfaces> surfaces;
};

SimulatedFormat format_of(std::uint32_t heads, bool up_and_down, bool alternates) {
  SimulatedFormat format;
  format.heads = heads;
  format.up_and_down = up_and_down, format.alternates = alternates;
  format.radii = 5'000, format.formats = 6, format.irregular = 3;
  return format;
}

}  // namespace

TEST_CASE("moves between bands tell the surfaces, whatever the order", "[layout_by_timing]") {
  const bool up_and_down = GENERATE(false, true), alternates = GENERATE(false, true);
  for (const std::uint32_t heads : {2U, 3U, 4U, 7U}) {
    Found found(format_of(heads, up_and_down, alternates), heads);
    CAPTURE(heads, up_and_down, alternates, to_ms(found.drive.now_ns() - found.began_ns));
    CAPTURE(found.surfaces->moves, found.surfaces->groups, found.surfaces->shifts);
    REQUIRE(found.surfaces);
    CHECK(found.surfaces->best.order.heads == heads);
    CHECK(found.surfaces->best.order.there_and_back == (up_and_down && heads > 1));
    CHECK((found.surfaces->best.order.turning != Turning::never) == alternates);
    CHECK(found.surfaces->best.chance > 0.99);
    CHECK(found.pairs() > 0.99);  // a band that the map divides may be counted twice
    CHECK(found.surfaces->best.fit > kExplains);
    CHECK(found.drive.now_ns() - found.began_ns < from_ms(30e3));
  }
}

TEST_CASE("where moves tell little of surfaces, what is wrong is not said to be measured") {
  struct {
    double switch_ns;
    std::uint32_t band_tracks;
    bool alternates;
  } const drives[] = {{0.3e6, 60, true}, {0.47e6, 12, false}, {0.5e6, 60, true}};
  for (const auto& drive : drives) {
    SimulatedFormat format = format_of(4, !drive.alternates, drive.alternates);
    format.switch_ns = drive.switch_ns, format.band_tracks = drive.band_tracks;
    Found found(format, 5);
    CAPTURE(drive.switch_ns);
    if (!found.surfaces || found.pairs() > 0.99) continue;
    CAPTURE(found.surfaces->best.order.heads, found.surfaces->best.chance,
            found.surfaces->best.fit);
    CHECK((found.surfaces->best.chance < 0.99 || found.surfaces->best.fit < kExplains));
  }
}

TEST_CASE("where a switch takes little longer than a step, groups of bands that agree tell") {
  SimulatedFormat format = format_of(5, true, true);
  format.switch_ns = 0.85e6, format.band_tracks = 24;
  for (const std::uint64_t seed : {1, 2}) {
    Found found(format, seed);
    CAPTURE(seed);
    REQUIRE(found.surfaces);
    CAPTURE(found.surfaces->best.fit, found.surfaces->groups, found.surfaces->contrast_rev);
    CHECK((found.surfaces->agreed || found.surfaces->best.fit > kExplains));
    CHECK(found.surfaces->best.order.heads == 5);
    CHECK(found.surfaces->best.order.there_and_back);
    CHECK(found.pairs() > 0.99);
  }
}

TEST_CASE("places that the drive tells are taken over", "[layout_by_timing]") {
  const SimulatedFormat format = format_of(5, true, true);
  const SimulatedBands truth(format, 3);
  SurfaceOptions options;
  options.told = [&](std::uint64_t block) -> std::optional<ToldPlace> {
    const auto place = truth.truth(block);
    return ToldPlace{static_cast<std::uint32_t>(place.radius), place.head};
  };
  Found found(format, 3, options);
  REQUIRE(found.surfaces);
  CHECK(found.surfaces->told);
  CHECK(found.surfaces->best.order.heads == 5);
  CHECK(found.surfaces->best.order.there_and_back);
  CHECK(found.surfaces->best.order.turning != Turning::never);
  CHECK(found.pairs() == 1);
  CHECK(found.drive.now_ns() == found.began_ns);  // nothing was read for it
}

}  // namespace platter::layout_by_timing

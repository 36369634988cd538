// The orders in which bands may lie on a drive's surfaces: of each round one band a surface, always
// from the first surface on or there and back in turn; bands always inwards, or inwards and
// outwards in turn. (Wong 2019 calls them FF, FA, AF and AA.)
#pragma once

#include <cstdint>

namespace platter::layout_by_timing {

inline constexpr std::uint32_t kMostSurfaces = 32;  // that are looked for; drives have fewer

enum class Turning : std::uint8_t { never, within_round, over_all };  // of bands: in, out, in ...

struct BandPlace {
  std::uint32_t head = 0;
  bool outward = false;
  std::uint64_t round = 0;
};

struct BandOrder {
  std::uint32_t heads = 1;
  bool there_and_back = false;
  Turning turning = Turning::never;

  // Bands until surfaces and directions come again.
  std::uint32_t period() const {
    const bool twice = there_and_back || (turning == Turning::over_all && heads % 2 == 1);
    return twice ? 2 * heads : heads;
  }
  // Places in it that can be told apart: back and there is there and back with the surfaces'
  // numbers turned round.
  std::uint32_t places() const {
    return turning == Turning::over_all && heads % 2 == 1 ? 2 * heads : heads;
  }
  // Of a band, counted from the first one of the drive.
  BandPlace place(std::uint64_t band) const {
    const std::uint64_t round = band / heads;
    const auto in_round = static_cast<std::uint32_t>(band % heads);
    const bool back = there_and_back && round % 2 == 1;
    const bool outward = turning == Turning::within_round ? in_round % 2 == 1
                         : turning == Turning::over_all   ? band % 2 == 1
                                                          : false;
    return {back ? heads - 1 - in_round : in_round, outward, round};
  }
  bool operator==(const BandOrder&) const = default;
};

// A track at an end of a band.
struct BandEnd {
  std::uint64_t band = 0;
  bool last = false;  // of its tracks, in the order of the blocks
};

// How far apart two ends lie in an order: surfaces, and tracks of a surface between the radii.
struct Apart {
  bool same_surface = false;
  double tracks = 0;
};

inline Apart apart(const BandOrder& order, const BandEnd& a, const BandEnd& b,
                   double tracks_a_band) {
  const BandPlace x = order.place(a.band), y = order.place(b.band);
  const auto radius = [&](const BandPlace& place, bool last) {
    return static_cast<double>(place.round) * tracks_a_band +
           (last != place.outward ? tracks_a_band - 1 : 0);
  };
  const double between = radius(x, a.last) - radius(y, b.last);
  return {x.head == y.head, between < 0 ? -between : between};
}

}  // namespace platter::layout_by_timing

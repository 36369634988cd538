// Which surface each band of a map lies on, and which way it goes: by the times of moves between
// the ends of bands, where these tell orders of bands apart; or by what the drive says of its
// places, where it translates addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "layout_by_timing/band_count.h"
#include "layout_by_timing/found_surfaces.h"
#include "layout_by_timing/order_beliefs.h"
#include "layout_by_timing/prober.h"
#include "layout_by_timing/run.h"

namespace platter::layout_by_timing {

struct ToldPlace {
  std::uint32_t cylinder = 0, head = 0;
};

struct SurfaceOptions {
  Nanoseconds most_ns = 0;  // of the drive's time
  // Where the drive says a block is; empty: it does not say.
  std::function<std::optional<ToldPlace>(std::uint64_t block)> told{};
  bool tracks = false;   // a band is a track, for runs are cylinders
  std::size_t ring = 0;  // places of the pattern that the runs are of; 0: not known
};

// Mean log-likelihood, against no order: what fits by less is not explained. Chosen by looking at
// a few drives: times of two kinds that an order tells apart give more, moves that all take about
// as long less.
inline constexpr double kExplains = 0.7;

class SurfaceFinder {
 public:
  // Runs follow one another without gaps.
  SurfaceFinder(Prober& prober, std::span<const Run> runs, SurfaceOptions options);

  // nullopt: no bands in a row that could be read.
  std::optional<FoundSurfaces> find();

 private:
  struct Group {
    std::size_t first = 0;     // band
    std::uint64_t number = 0;  // of that band in the order
    double fit = 0, chance = 0;
  };
  // What one group alone finds likely, though it explains little of the times.
  struct Likely {
    Group group;
    OrderBeliefs beliefs;
    OrderBeliefs::Best best;
  };
  std::uint32_t bands_of_group() const;
  std::optional<std::size_t> sure_bands_near(std::size_t band) const;
  Spot spot(std::size_t group, const BandEnd& end) const;
  BandEnd in_order(std::size_t group, const BandEnd& end) const;
  std::optional<MoveScale> scale_of(std::size_t group);
  bool ask(std::size_t group, const BandEnd& a, const BandEnd& b);
  void ask_where_disputed(std::size_t group, std::size_t most);
  std::optional<Group> look_at(std::size_t near, std::uint64_t shift, std::size_t most);
  std::optional<Group> look_at_all(std::span<const double> shares);
  void take_what_most_say(std::size_t looks);
  void add_likely();
  std::vector<std::size_t> suspects(std::size_t from, std::size_t to) const;
  std::optional<std::size_t> next_look(const Group& low, const Group& high) const;
  void look_between(const Group& low, const Group& high);
  void sort_groups();
  FoundSurfaces found() const;
  void number_runs(FoundSurfaces& found) const;
  std::uint64_t shift_of(const Group& group) const;
  double contrast_rev() const;
  bool out_of_time() const { return prober_.now_ns() > deadline_ns_; }

  Prober& prober_;
  std::span<const Run> runs_;
  SurfaceOptions options_;
  Nanoseconds deadline_ns_ = 0;
  std::vector<CountedBand> bands_;
  std::uint32_t usual_tracks_ = 1;
  std::optional<OrderBeliefs> beliefs_;
  std::optional<MoveScale> scale_;  // of the group before
  std::vector<double> contrasts_;   // of all scales: a switch's time over a step's
  std::vector<Group> groups_;       // ascending
  std::vector<Likely> likely_;      // where no group explains much
  bool agreed_ = false;             // of those most say the same
  std::size_t moves_ = 0;
};

// With runs as bands or, where that may be, as cylinders: what explains the moves better.
std::optional<FoundSurfaces> find_surfaces(Prober& prober, std::span<const Run> runs,
                                           SurfaceOptions options, bool may_be_cylinders);

}  // namespace platter::layout_by_timing

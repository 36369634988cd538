// The pattern that a drive's runs follow: a ring of places, one for each band until surfaces and
// skews come again. Found by comparing the sequence of runs with itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "layout_by_timing/band_width.h"
#include "layout_by_timing/run.h"

namespace platter::layout_by_timing {

struct RingPlace {
  std::uint32_t tracks = 0, slots = 0, spares = 0, tail = 0;
  std::uint32_t odd_tracks = 0;  // as many the last time, far from `tracks`; 0: not
  double odd_entry_rev = -1;     // likewise
  std::uint32_t odd_slots = 0;   // likewise
  bool slots_foreseen = false;   // by another place of its surface (Pattern::change_format)
  std::int64_t odd_lack = 0;     // blocks that the last band of few tracks lacked
  std::uint32_t last_tail = 0;   // as it was seen the last time
  double skew_rev = 0;
  double entry_rev = 0;  // from the start of the last track of the run before to this one's first
};

class Pattern {
 public:
  // From runs in their order, the last ones of which were followed to their ends. nullopt: they do
  // not come again.
  static std::optional<Pattern> of(std::span<const Run> runs);

  std::size_t period() const { return places_.size(); }
  RingPlace& operator[](std::size_t place) { return places_[place % places_.size()]; }
  const RingPlace& operator[](std::size_t place) const { return places_[place % places_.size()]; }
  // Whether its places are single tracks, whatever runs they make up.
  bool is_of_tracks() const { return is_of_tracks_; }
  // Of its bands, the median.
  std::uint32_t usual_tracks() const;
  // That all bands have, or nearly; 0: they do not.
  std::uint32_t tracks_of_each() const;
  // Share of the bands that differed from the one a period before.
  double differing() const { return differing_; }
  // The place of the last of the runs that it was made of.
  std::size_t last_place() const { return last_; }

  // The run behind one that has a place, and whose tracks are not counted yet.
  Run next(const Run& run) const;
  // So many behind it, or as many as there are up to a block.
  std::vector<Run> ahead(const Run& run, std::size_t most, std::uint64_t end) const;
  // The band in that place is over.
  void count_tracks(std::size_t place, std::uint32_t tracks, Standing standing);
  // Hardly a band has others than it expects.
  bool foresees_tracks() const;
  // It is not known how many bands were passed.
  void lose_count();
  // A zone began whose tracks have another skew, on all surfaces that had this one.
  void change_skew(double from_rev, double to_rev);
  // A zone began on the surface of that place.
  void change_format(std::size_t place, std::uint32_t slots, std::uint32_t spares);
  // What was seen of a run in its place is expected there the next time.
  void learn(const Run& run, const Run& before);
  // The place of the last of these runs, if that is clear; likely it is the one that is expected.
  std::optional<std::size_t> find(std::span<const Run> runs, std::size_t expected) const;
  // Where these last runs belong, if clearly not to the place that is expected of the last.
  std::optional<std::size_t> find_shifted(std::span<const Run> runs, std::size_t expected) const;

 private:
  static std::optional<Pattern> of_places(std::span<const RingPlace> bands);
  static std::optional<Pattern> of_tracks(std::span<const Run> runs);
  std::vector<RingPlace> places_seen(std::span<const Run> runs) const;
  Run next(const Run& run, std::uint32_t tracks) const;
  void share_skew();
  // Which places have bands of the same surface, and how well that foresees their tracks.
  struct Surfaces {
    std::vector<std::size_t> of;  // by place
    std::vector<BandWidth> widths;
    double missed = 0;  // bands, lately
  };
  void find_surfaces(std::span<const RingPlace> bands);
  const Surfaces& likeliest_surfaces() const;
  void learn_skew(const Run& run, RingPlace& place);
  std::vector<double> chances(std::span<const Run> runs, std::size_t expected) const;
  void learn_format(const RingPlace& seen, std::size_t of);
  std::optional<std::size_t> other_place_of_surface(std::size_t place) const;
  // How much each place would differ, were it that of the last of these.
  std::vector<int> differing_at(std::span<const Run> runs, std::size_t& bands) const;

  std::vector<RingPlace> places_;
  std::vector<Surfaces> surfaces_;  // as they may be
  std::uint64_t counted_ = 0;       // bands, since those were looked for
  std::size_t last_ = 0;
  double differing_ = 0;
  bool is_of_tracks_ = false;
};

// From the start of the last track of a run to where the next one begins.
double entry_rev(const Run& before, const Run& run);

}  // namespace platter::layout_by_timing

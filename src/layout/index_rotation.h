// Where the tracks of a zone begin behind the index: one skew from head to head, another from
// cylinder to cylinder, fitted to a few tracks of which it is known.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layout/track_order.h"

namespace platter::layout {

struct TrackStart {
  std::uint64_t track = 0;
  double rev = 0;  // from the index to the track's first slot, 0 to 1
};

class IndexRotation {
 public:
  // From the index to the first slot of a track, 0 to 1; track < tracks().
  double at(std::uint64_t track) const;
  std::uint64_t tracks() const { return positions_.size(); }

 private:
  friend std::optional<IndexRotation> fit_rotation(const TrackOrder&, std::uint64_t,
                                                   const std::vector<TrackStart>&, double);
  struct Position {  // of a track in the order: sweeps before it, and how far into its own
    double sweep = 0, within = 0;
  };
  static std::vector<Position> positions(const TrackOrder& order, std::uint64_t tracks);

  std::vector<Position> positions_;
  double start_ = 0, per_sweep_ = 0, per_track_ = 0;  // rev
};

// For the first `tracks` tracks of the order. nullopt where fewer of the tracks seen lie within
// `tolerance_rev` of their place than chance alone could bring about, or a third of them do not.
std::optional<IndexRotation> fit_rotation(const TrackOrder& order, std::uint64_t tracks,
                                          const std::vector<TrackStart>& seen,
                                          double tolerance_rev);

}  // namespace platter::layout

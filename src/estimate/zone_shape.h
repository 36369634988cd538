// One zone of a layout as a linear model of angles: which integer multiples of which unknown angles
// make up the angle of a track. Unknowns are the zone's own angle, each node's angle step, and
// where each further child begins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/layout_map.h"
#include "model/drive_model.h"
#include "statistics/regression.h"

namespace platter::estimate {

// Instance of each node on the way from the zone down to a track; nodes by their number in the
// zone.
struct TrackPath {
  struct Step {
    std::uint32_t node = 0, instance = 0;
    bool operator==(const Step&) const = default;
  };
  std::vector<Step> steps;
  bool operator==(const TrackPath&) const = default;
};

// Of a zone that is solved. Every look at a track is fitted anew with those before it, one row of n
// unknowns after another into a covariance of n x n, so that n looks cost n^4 products: at this
// many, 500 looks take a core about half a minute, and twice as many would take it sixteen times as
// long. Zones that follow a rule have a few for each head and form of track, some dozens at most.
constexpr std::size_t kMostUnknowns = 400;

class ZoneShape {
 public:
  // The zone's first slot within the layout. Instances from which unknowns are counted ("base") are
  // chosen so that the tracks that introduce them hold LBNs that can be read; `left_out`
  // (ascending, disjoint) cannot.
  ZoneShape(const model::LayoutNode& zone, std::uint64_t first_slot, const engine::LayoutMap& map,
            std::vector<LbnRange> left_out = {});

  std::uint64_t first_slot() const { return first_slot_; }
  std::uint64_t slots() const { return nodes_.front().slots * nodes_.front().source->count; }
  bool holds(std::uint64_t slot) const {
    return slot >= first_slot_ && slot - first_slot_ < slots();
  }
  std::size_t nodes() const { return nodes_.size(); }
  std::uint32_t count(std::uint32_t node) const { return nodes_[node].source->count; }
  std::uint32_t base(std::uint32_t node) const { return nodes_[node].base; }

  TrackPath path_of_slot(std::uint64_t slot) const;
  std::uint64_t first_slot_of(const TrackPath& path) const;
  std::uint32_t sectors_of(const TrackPath& path) const;
  // The track with `node` at `instance` and everything else at its base.
  TrackPath base_path(std::uint32_t node, std::uint32_t instance) const;
  // A track of that instance of `node`, with what holds it at its base: that of the slot which lies
  // at `share` (0 to 1) of it.
  TrackPath path_within(std::uint32_t node, std::uint32_t instance, double share) const;
  // Otherwise nobody can ask for one of its angles, nor read one.
  bool holds_blocks() const { return nodes_.front().holds_blocks; }
  bool has_parts(std::uint32_t node) const { return !nodes_[node].children.empty(); }
  // Its track holds an LBN, and none that is left out.
  bool usable(const TrackPath& path) const;

  std::size_t unknowns() const { return unknowns_; }
  // Otherwise it is a shape only: where its tracks are, with no bases chosen, and no angle of it
  // known.
  bool solvable() const { return unknowns_ <= kMostUnknowns; }
  // Coefficients (small integers) of the unknowns in the angle of a track's first slot.
  std::vector<double> row(const TrackPath& path) const;
  // Tracks that bring in the unknowns one by one, the zone's base track first; empty where no such
  // track holds an LBN. One for each unknown, in their order.
  std::vector<std::optional<TrackPath>> introductions() const;

  // Tracks with LBNs from which the others' angles are interpolated: the first and the last of each
  // node, the others at their base.
  std::vector<TrackPath> corners() const;

  // The zone with its angles set from the unknowns, and their errors from `covariance` if given.
  model::LayoutNode with_angles(const std::vector<double>& unknowns,
                                const statistics::Matrix& covariance = {}) const;

 private:
  struct Node {
    const model::LayoutNode* source;
    std::optional<std::uint32_t> parent;
    bool holds_blocks = false;
    bool is_reference = true;  // of its parent's children: from it the others' angles are counted
    std::uint64_t offset = 0;  // slots in front of it in an instance of its parent
    std::uint64_t slots = 0;   // of one instance
    std::vector<std::uint32_t> children;
    std::uint32_t base = 0;
    std::optional<std::size_t> start_unknown, step_unknown;
  };
  std::uint32_t add(const model::LayoutNode& source, std::optional<std::uint32_t> parent,
                    std::uint64_t offset);
  void find_blocks();
  std::uint32_t reference_of(const Node& node) const;
  void descend_base(TrackPath& path) const;
  void choose_bases();
  // Angle of the base track within an instance, from where the instance begins.
  double base_offset(std::uint32_t node, const std::vector<double>& unknowns) const;
  model::LayoutNode set_angles(std::uint32_t node, const std::vector<double>& unknowns,
                               const statistics::Matrix& covariance) const;

  const model::LayoutNode zone_;
  std::uint64_t first_slot_;
  const engine::LayoutMap& map_;
  std::vector<LbnRange> left_out_;
  std::vector<Node> nodes_;
  std::size_t unknowns_ = 0;
};

// The zone (or one node in it) cut in two at `instance` of `node`, which becomes two nodes (numbers
// as in ZoneShape). For node 0 the result has two zones, else one.
std::vector<model::LayoutNode> split_zone(const model::LayoutNode& zone, std::uint32_t node,
                                          std::uint32_t instance);

}  // namespace platter::estimate

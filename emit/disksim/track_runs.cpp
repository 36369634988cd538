#include "emit/disksim/track_runs.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace platter::emit_disksim {
namespace {

constexpr double kSameAngle_rev = 1e-11;
constexpr std::size_t kLongestCycle = 256;

using Tracks = std::span<const model::LayoutNode>;

// From one track to another of as many sectors.
struct Step {
  std::int32_t cylinders = 0, heads = 0;
  double angle_rev = 0;

  Step() = default;
  Step(const model::LayoutNode& from, const model::LayoutNode& to)
      : cylinders(to.cylinder - from.cylinder),
        heads(to.head - from.head),
        angle_rev(fraction(to.angle_rev - from.angle_rev)) {}

  bool equals(const Step& other) const {
    const double turn = angle_rev - other.angle_rev;
    return cylinders == other.cylinders && heads == other.heads &&
           std::fabs(turn - std::round(turn)) <= kSameAngle_rev;
  }
};

// How often the first `length` tracks come again one step on, the first time included.
std::size_t repeats(Tracks tracks, std::size_t length) {
  if (2 * length > tracks.size()) return 1;
  const Step step(tracks[0], tracks[length]);
  std::size_t same = 0;
  while (same + length < tracks.size() && tracks[same].sectors == tracks[same + length].sectors &&
         Step(tracks[same], tracks[same + length]).equals(step)) {
    ++same;
  }
  return same / length + 1;
}

struct Cycle {
  std::size_t length = 1, count = 1;

  std::size_t tracks() const { return length * count; }
};

// The cycle at the front that covers the most tracks, the shortest of them.
Cycle longest_cycle(Tracks tracks) {
  Cycle best;
  for (std::size_t length = 1; length <= std::min(kLongestCycle, tracks.size() / 2); ++length) {
    const Cycle cycle{length, repeats(tracks, length)};
    if (cycle.count > 1 && cycle.tracks() > best.tracks()) best = cycle;
  }
  return best;
}

std::vector<model::LayoutNode> relative_to_first(Tracks tracks) {
  std::vector<model::LayoutNode> moved(tracks.begin(), tracks.end());
  for (model::LayoutNode& track : moved) {
    track.cylinder -= tracks[0].cylinder;
    track.head -= tracks[0].head;
    track.angle_rev = fraction(track.angle_rev - tracks[0].angle_rev);
  }
  return moved;
}

model::LayoutNode node_of(Tracks tracks, const Cycle& cycle) {
  model::LayoutNode node = tracks[0];
  node.count = static_cast<std::uint32_t>(cycle.count);
  if (cycle.count > 1) {
    const Step step(tracks[0], tracks[cycle.length]);
    node.cylinder_step = step.cylinders;
    node.head_step = step.heads;
    node.angle_step_rev = step.angle_rev;
  }
  if (cycle.length > 1) {
    node.sectors = 0;
    node.children = fold_tracks(relative_to_first(tracks.first(cycle.length)));
  }
  return node;
}

}  // namespace

double fraction(double rev) { return rev - std::floor(rev); }

std::vector<model::LayoutNode> fold_tracks(const std::vector<model::LayoutNode>& tracks) {
  std::vector<model::LayoutNode> nodes;
  for (Tracks left = tracks; !left.empty();) {
    const Cycle cycle = longest_cycle(left);
    nodes.push_back(node_of(left, cycle));
    left = left.subspan(cycle.tracks());
  }
  return nodes;
}

}  // namespace platter::emit_disksim

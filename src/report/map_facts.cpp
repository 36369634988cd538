#include "report/map_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/track_list.h"
#include "statistics/circular.h"
#include "statistics/distribution.h"

namespace platter::report {
namespace {

constexpr std::size_t kLooked = 6000;  // tracks at each edge: longer than any drive's band

// Skews are angles: 0.99 and 0.01 lie beside one another.
std::optional<double> median_skew(const std::vector<double>& skews_rev) {
  if (skews_rev.empty()) return std::nullopt;
  return statistics::turn_rev(statistics::circular_median(skews_rev, 1));
}

double skew_rev(const MappedTrack& before, const MappedTrack& after) {
  const double end_rev = engine::rev_from_angle(before.angle) +
                         static_cast<double>(before.blocks) / before.slots;
  return statistics::turn_rev(engine::rev_from_angle(after.angle) - end_rev);
}

// Of neighbours in one zone that are full tracks.
void skews(const std::vector<MappedTrack>& tracks, std::optional<double>& to_head,
           std::optional<double>& to_cylinder) {
  std::vector<double> heads, cylinders;
  for (std::size_t i = 1; i < tracks.size(); ++i) {
    const MappedTrack &a = tracks[i - 1], &b = tracks[i];
    if (a.zone != b.zone || a.slots == 0) continue;
    (a.cylinder == b.cylinder ? heads : cylinders).push_back(skew_rev(a, b));
  }
  to_head = median_skew(heads);
  to_cylinder = median_skew(cylinders);
}

// Which way each run of tracks of one cylinder (or of one surface) goes.
struct Runs {
  std::size_t up = 0, down = 0;
  std::vector<std::size_t> lengths;
};

template <class Same, class Place>
Runs runs_of(const std::vector<MappedTrack>& tracks, Same same, Place place) {
  Runs runs;
  for (std::size_t begin = 0, i = 1; i <= tracks.size(); ++i) {
    if (i < tracks.size() && same(tracks[i - 1], tracks[i])) continue;
    if (i - begin > 1) {
      ++(place(tracks[i - 1]) > place(tracks[begin]) ? runs.up : runs.down);
      runs.lengths.push_back(i - begin);
    }
    begin = i;
  }
  return runs;
}

std::string ways(const Runs& runs, const char* up, const char* down) {
  if (runs.up == 0 || runs.down == 0) return runs.up > 0 ? up : down;
  return "forth and back (serpentine)";
}

std::string order_of(const std::vector<MappedTrack>& tracks) {
  std::size_t heads = 0, cylinders = 0;
  for (std::size_t i = 1; i < tracks.size(); ++i)
    ++(tracks[i - 1].cylinder == tracks[i].cylinder ? heads : cylinders);
  if (heads == 0 && cylinders == 0) return "a single track";
  if (heads == 0) return "one surface, cylinder by cylinder";
  if (heads >= cylinders) {
    const Runs runs = runs_of(
        tracks, [](const auto& a, const auto& b) { return a.cylinder == b.cylinder; },
        [](const auto& track) { return track.head; });
    return "all surfaces of a cylinder, then the next cylinder; the heads " +
           ways(runs, "from the first to the last", "from the last to the first");
  }
  Runs runs = runs_of(
      tracks, [](const auto& a, const auto& b) { return a.head == b.head; },
      [](const auto& track) { return track.cylinder; });
  std::ranges::sort(runs.lengths);
  const std::size_t length = runs.lengths.empty() ? 0 : runs.lengths[runs.lengths.size() / 2];
  return fmt::format("about {} tracks of one surface, then the next surface; the cylinders {}",
                     length, ways(runs, "inward", "outward"));
}

}  // namespace

MapFacts map_facts(const model::Layout& layout) {
  MapFacts facts;
  const engine::LayoutMap map(layout);
  std::vector<MappedTrack> outer, last;
  std::size_t next = 0;  // in `last`, a ring
  std::vector<bool> heads;
  for (TrackCursor cursor(map); cursor.next();) {
    if (cursor.blocks() == 0) continue;
    ++facts.tracks;
    const std::uint32_t head = cursor.track().head;
    if (head >= heads.size()) heads.resize(head + std::size_t{1});
    heads[head] = true;
    if (outer.size() < kLooked) outer.push_back(cursor.mapped());
    if (last.size() < kLooked)
      last.push_back(cursor.mapped());
    else
      last[next++ % kLooked] = cursor.mapped();
  }
  std::rotate(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(next % kLooked), last.end());
  facts.surfaces = static_cast<std::uint32_t>(std::ranges::count(heads, true));
  facts.order = order_of(outer);
  skews(outer, facts.track.outer_rev, facts.cylinder.outer_rev);
  skews(last, facts.track.inner_rev, facts.cylinder.inner_rev);
  return facts;
}

}  // namespace platter::report

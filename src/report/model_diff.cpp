#include "report/model_diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "engine/layout_map.h"
#include "report/as_measured.h"
#include "report/track_list.h"

namespace platter::report {
namespace {

// Angles without a stated error are equal up to the rounding of the 2^64 steps of a turn.
constexpr double kAngleRounding_rev = 1e-9;

// The tracks of a layout by their LBNs: quick for LBNs that ascend.
class TrackFinder {
 public:
  explicit TrackFinder(const engine::LayoutMap& map)
      : map_(map), cursor_(map), more_(cursor_.next()) {}

  // The track on which an LBN has its place in the sequence, though it may be remapped to another;
  // its angle is that of the LBN.
  MappedTrack track_of(std::uint64_t lbn) {
    const std::uint64_t slot = map_.slot_of_lbn(lbn);
    while (more_ && lbn >= cursor_.first_lbn() + cursor_.blocks()) more_ = cursor_.next();
    if (more_ && lbn >= cursor_.first_lbn()) {
      MappedTrack found = cursor_.mapped();
      if (lbn != found.first_lbn && !map_.is_remapped(lbn))
        found.angle = map_.angle_of_slot(cursor_.track(), slot);
      return found;
    }
    const engine::Track track = map_.track_of_slot(slot);
    MappedTrack found = mapped_track(map_, track);
    found.angle = map_.angle_of_slot(track, slot);
    return found;
  }

 private:
  const engine::LayoutMap& map_;
  TrackCursor cursor_;
  bool more_;
};

bool same_track(const MappedTrack& a, const MappedTrack& b) {
  return a.first_lbn == b.first_lbn && a.blocks == b.blocks && a.cylinder == b.cylinder &&
         a.head == b.head;
}

double around_zero(double rev) { return rev - std::round(rev); }

}  // namespace

LayoutDifference compare_layouts(const model::Layout& a, const model::Layout& b) {
  const engine::LayoutMap in_a(a), in_b(b);
  LayoutDifference result;
  std::vector<double> turned;  // B's angle minus A's
  double cosines = 0, sines = 0;
  TrackFinder finder(in_b);
  for_each_track(in_a, [&](const MappedTrack& track) {
    ++result.tracks_a;
    const bool in_both = track.first_lbn < in_b.blocks();
    const MappedTrack other = in_both ? finder.track_of(track.first_lbn) : MappedTrack{};
    if (!in_both || !same_track(track, other)) {
      ++result.differing_tracks;
      result.differing_blocks += track.blocks;
    }
    if (!in_both) return;
    const engine::Angle angle = other.angle - track.angle;
    turned.push_back(engine::rev_from_angle(angle));
    cosines += std::cos(2 * std::numbers::pi * turned.back());
    sines += std::sin(2 * std::numbers::pi * turned.back());
  });
  for_each_track(in_b, [&](const MappedTrack&) { ++result.tracks_b; });
  if (turned.empty()) return result;
  double offset = std::atan2(sines, cosines) / (2 * std::numbers::pi);
  double rest = 0;  // atan2 of large sums is good to some 1e-12; one step of the mean makes it
                    // exact
  for (const double rev : turned) rest += around_zero(rev - offset);
  offset += rest / static_cast<double>(turned.size());
  double squares = 0;
  for (const double rev : turned) {
    const double error = around_zero(rev - offset);
    squares += error * error;
    result.max_angle_rev = std::max(result.max_angle_rev, std::fabs(error));
  }
  result.angles = turned.size();
  result.offset_rev = offset - std::floor(offset);
  result.rms_angle_rev = std::sqrt(squares / static_cast<double>(turned.size()));
  return result;
}

namespace {

void append_layouts(const model::DriveModel& a, const model::DriveModel& b,
                    std::vector<model::Difference>& differences) {
  if (a.layout.zones.empty() || b.layout.zones.empty()) return;
  const LayoutDifference layout = compare_layouts(a.layout, b.layout);
  const auto counted = [&](const char* path, const char* unit, std::uint64_t in_a,
                           std::uint64_t in_b, std::uint64_t elsewhere) {
    const auto count = static_cast<double>(elsewhere);
    differences.push_back({path,
                           unit,
                           static_cast<double>(in_a),
                           static_cast<double>(in_b),
                           count,
                           count / static_cast<double>(in_a),
                           std::nullopt,
                           elsewhere == 0 && in_a == in_b,
                           {}});
  };
  counted("layout.tracks", "tracks", layout.tracks_a, layout.tracks_b, layout.differing_tracks);
  counted("layout.blocks", "blocks", engine::LayoutMap(a.layout).blocks(),
          engine::LayoutMap(b.layout).blocks(), layout.differing_blocks);
  const double error = std::hypot(a.layout.angle.error.value_or(0),
                                  b.layout.angle.error.value_or(0));
  const auto angle = [&](const char* path, double rev, double within) {
    differences.push_back({path,
                           "rev",
                           std::nullopt,
                           std::nullopt,
                           rev,
                           std::nullopt,
                           std::nullopt,
                           rev <= within * error + kAngleRounding_rev,
                           {}});
  };
  if (layout.angles > 0) {
    angle("layout.angle_rms", layout.rms_angle_rev, model::kEqualWithin);
    // Each zone has an error of its own, and the farthest is one of them.
    angle("layout.angle_max", layout.max_angle_rev, model::equal_within(a.layout.zones.size()));
  }
}

std::vector<model::Difference> diff_as_they_are(
    const model::DriveModel& a, const model::DriveModel& b,
    const std::map<std::string, std::string>& not_judged) {
  std::vector<model::Difference> differences = model::diff_parameters(a, b);
  for (model::Difference& difference : differences) {
    const auto why = not_judged.find(difference.path);
    if (why == not_judged.end() || difference.within_error.value_or(true)) continue;
    difference.within_error.reset();
    difference.not_judged = why->second;
  }
  append_layouts(a, b, differences);
  return differences;
}

}  // namespace

std::vector<model::Difference> diff_models(const model::DriveModel& a, const model::DriveModel& b) {
  if (are_truth_and_measured(a, b)) {
    const Comparable both = comparable(a, b);
    return diff_as_they_are(both.measured, both.truth, both.not_judged);
  }
  if (are_truth_and_measured(b, a)) {
    const Comparable both = comparable(b, a);
    return diff_as_they_are(both.truth, both.measured, both.not_judged);
  }
  return diff_as_they_are(a, b, {});
}

}  // namespace platter::report

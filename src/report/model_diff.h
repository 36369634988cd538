// Two models side by side, with their layouts compared in effect: where each track's blocks lie.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/diff.h"
#include "model/drive_model.h"

namespace platter::report {

// For every track of A that holds blocks: its first LBN, its number of blocks, cylinder and head
// against the track of B that holds the same LBN; and the angle of that LBN in both, after one
// constant has been taken off (the index mark of a drive is arbitrary).
struct LayoutDifference {
  std::uint64_t tracks_a = 0, tracks_b = 0;
  std::uint64_t differing_tracks = 0;  // of A: another first LBN, length, cylinder or head in B
  std::uint64_t differing_blocks = 0;  // on those
  std::uint64_t angles = 0;            // LBNs whose angles were compared
  double offset_rev = 0;               // mean of B's angle minus A's, 0 to 1
  double rms_angle_rev = 0, max_angle_rev = 0;
};

LayoutDifference compare_layouts(const model::Layout& a, const model::Layout& b);

// diff_parameters and, where both have a layout: layout.tracks and layout.blocks (a, b: how many;
// difference: how many of A's lie elsewhere in B) and layout.angle_rms, layout.angle_max (rev).
std::vector<model::Difference> diff_models(const model::DriveModel& a, const model::DriveModel& b);

// The differences of two models as a table for people and as JSON.
struct DifferenceCount {
  std::size_t compared = 0, differing = 0, in_one_only = 0, not_judged = 0;
  std::size_t with_error = 0, beyond_two = 0;  // that state errors; more than two of them apart
};

DifferenceCount count(const std::vector<model::Difference>& differences);

// A summary, then the figures that differ, or all of them.
std::string differences_as_text(const std::vector<model::Difference>& differences, bool all);
// `differences`: {path, unit, a, b, difference, relative, in_errors, within_error, not_judged};
// null for what there is not.
std::string differences_as_json(const std::vector<model::Difference>& differences);

}  // namespace platter::report

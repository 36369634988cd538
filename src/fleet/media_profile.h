// How a drive's tracks are formatted from the outermost cylinder to the innermost, in a form in
// which drives can be compared.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/drive_model.h"

namespace platter::fleet {

// Borders of zones that lie closer together than the stroke divided by this are not told apart.
constexpr std::uint32_t kRings = 1024;

struct MediaProfile {
  // Of each ring of cylinders, the sum over the surfaces of the longest track's sectors. A track
  // that lost sectors to defects is not the longest.
  std::vector<std::uint64_t> sectors;
  // Sectors of the mean track on the surface that has the fewest, by those of the mean track of
  // all. nullopt: one surface.
  std::optional<double> slowest_surface;
};

// `cylinders`: of the fleet's largest drive, so that rings are the same for all.
MediaProfile media_profile(const model::Layout& layout, std::uint32_t cylinders);

// Of each drive, the share of rings that are formatted otherwise than most drives' are there (their
// median).
std::vector<double> shares_formatted_otherwise(std::span<const MediaProfile> profiles);

}  // namespace platter::fleet

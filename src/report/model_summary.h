// What a model says, in words and tables for people, and the same figures as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/drive_model.h"

namespace platter::report {

// One top-level node of the layout.
struct ZoneSummary {
  std::uint64_t first_lbn = 0, blocks = 0, tracks = 0;  // tracks that hold blocks
  std::uint32_t first_cylinder = 0, last_cylinder = 0;
  std::uint32_t fewest_sectors = 0, most_sectors = 0;   // physical sectors of a track
};

std::vector<ZoneSummary> summarize_zones(const model::Layout& layout);

std::string model_as_text(const model::DriveModel& model);
std::string model_as_json(const model::DriveModel& model);

}  // namespace platter::report

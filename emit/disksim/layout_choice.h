// Which of DiskSim's layouts says where a model's blocks lie, and its text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emit/disksim/rules.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

enum class LayoutType : std::uint8_t { automatic, g1, g4 };

struct WrittenLayout {
  std::string type, text;  // "dm_layout_g1"; the block
  std::uint64_t blocks = 0;
  std::uint64_t used_cylinders = 0;
  std::uint32_t most_sectors = 1;  // of a track
  std::vector<std::string> warnings{};
  model::Layout layout{};         // the model's, without what is left out
  std::uint64_t block_count = 0;  // that DiskSim needs to be told: `blocks`, or more
};

// How far the angle of a block may be from the model's: 1e-6 revolutions, or five times the error
// that the model states.
double angle_tolerance(const model::Layout& layout);

// `automatic`: g1 where it says the map in less than 100 KB and no block is remapped, else g4.
// Throws Error(unsupported) that says what the program cannot express.
WrittenLayout write_layout(const model::DriveModel& model, LayoutType type, Program program);

}  // namespace platter::emit_disksim

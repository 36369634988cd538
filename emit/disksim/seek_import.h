// DiskSim's seek types as a list of measured points between which a seek is interpolated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emit/disksim/libparam.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

struct ImportedSeeks {
  model::Seek reads;
  std::optional<model::Seek> writes;  // of a seek file that tells them apart
};

// `mechanics` reads a block of type dm_mech_g1; `cylinders` is that of the drive. A formula becomes
// so many points that interpolation is exact to 1 ns. Throws Error(bad_input) with file and line.
ImportedSeeks import_seek(BlockReader& mechanics, std::uint32_t cylinders,
                          const std::string& top_folder, std::vector<std::string>& notes);

}  // namespace platter::emit_disksim

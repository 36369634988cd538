// DiskSim's seek types as a list of measured points between which a seek is interpolated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emit/disksim/libparam.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

// `mechanics` reads a block of type dm_mech_g1; `cylinders` is that of the drive. A formula becomes
// so many points that interpolation is exact to 1 ns. Throws Error(bad_input) with file and line.
model::Seek import_seek(BlockReader& mechanics, std::uint32_t cylinders,
                        const std::string& top_folder, std::vector<std::string>& notes);

}  // namespace platter::emit_disksim

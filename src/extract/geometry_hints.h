// What the mode pages of old say of a drive's geometry, beside the map that was found. They are
// hints: nothing is derived from them, for they describe what a drive wants to be taken for.
#pragma once

#include <string>
#include <vector>

#include "engine/layout_map.h"
#include "model/drive_model.h"
#include "scsi/drive.h"

namespace platter::extract {

// A sentence for each of pages 03h (format), 04h (rigid disk geometry) and 0Ch (notch) that says
// something else than the map (SCSI-2, 9.3.3). Empty: they agree, or the drive has none of them.
std::vector<std::string> contradicted_hints(scsi::Drive& drive, const model::Layout& layout,
                                            const engine::LayoutMap& map);

}  // namespace platter::extract

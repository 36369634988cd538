// What a map by timing and mode page 04h say of a drive's surfaces and cylinders: guesses, for
// angles do not tell surfaces.
#pragma once

#include "layout_by_timing/to_layout.h"
#include "model/drive_model.h"
#include "scsi/drive.h"

namespace platter::extract {

// Surely measured, no guess.
bool is_sure(const layout_by_timing::Surfaces& surfaces);
// Fills layout.heads and layout.cylinders of a layout that was made with these surfaces. The first
// guess is what the layout has, where the order of its bands tells one.
void say_surfaces(scsi::Drive& drive, const layout_by_timing::Surfaces& surfaces,
                  model::Layout& layout);

}  // namespace platter::extract

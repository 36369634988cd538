// The drive itself in DiskSim's words: .diskspecs, .model and .seek of one model.
#pragma once

#include <string>
#include <vector>

#include "emit/disksim/layout_choice.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

struct DriveText {
  std::string diskspecs, model, seek;
  double bus_read_block_ms = 0,
         bus_write_block_ms = 0;        // for the bus, where reads and writes differ
  std::vector<std::string> unmeasured;  // DiskSim's parameters that the model does not know, with
                                        // their value
  std::vector<std::string> warnings;    // what DiskSim cannot be told as it is
};

// The model must have a rotation and seeks; `layout` is its layout. Files refer to each other by
// `name`.
DriveText drive_text(const model::DriveModel& model, const WrittenLayout& layout,
                     const std::string& name, Program program);

// Whether a model that was written and read back is still the same drive.
// Every LBN on the same cylinder and head, its angle within the tolerance. Throws
// Error(unsupported) with the first LBN that is not.
void require_same_places(const model::Layout& wanted, const model::Layout& got,
                         double tolerance_rev);

// Every point of one curve on the other, within 1e-9 ms.
void require_same_seeks(const model::Seek& wanted, const model::Seek& got);

}  // namespace platter::emit_disksim

// Whether a model that was written and read back is still the same drive.
#pragma once

#include "model/drive_model.h"

namespace platter::emit_disksim {

// Every LBN on the same cylinder and head, its angle within the tolerance. Throws
// Error(unsupported) with the first LBN that is not.
void require_same_places(const model::Layout& wanted, const model::Layout& got,
                         double tolerance_rev);

// Every point of one curve on the other, within 1e-9 ms.
void require_same_seeks(const model::Seek& wanted, const model::Seek& got);

}  // namespace platter::emit_disksim

// A layout with another number of heads, made from the pattern of the one that it has.
#pragma once

#include <cstdint>

#include "model/drive_model.h"

namespace platter::model {

// Each run over all heads gets `heads` of them; the skew from every track to the next stays as it
// is, between cylinders and zones too. Tracks are added, or taken away, in front of those at whose
// end a cylinder (or band) has its spares; an added track has the skips that most tracks of its
// cylinder have. Everything else that was skipped or remapped stays on its track; what was on a
// track that is gone is gone. identity.blocks, .heads and the LBNs of remaps and medium errors
// follow. Throws Error(usage) for a layout whose runs do not cover all heads in even steps.
void set_heads(DriveModel& model, std::uint32_t heads);

}  // namespace platter::model

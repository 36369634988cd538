// Angles of a layout held against sectors anywhere, none of which helped to find them, zone by
// zone: what is wrong with one zone takes nothing from the others.
#pragma once

#include <vector>

#include "estimate/layout_angles.h"
#include "mtbrc/angle.h"
#include "mtbrc/track_reads.h"

namespace platter::mtbrc {

// Zones whose sectors lie elsewhere by more than one read scatters lose their errors, and the rest
// is as sure as before. Where all do, layout.angle says how far they lie off. `left`: zones that
// are not judged. `noise_rev`: of one read.
void check_angles(Context& context, Accesses& accesses, ReferenceReads& reference,
                  const std::vector<bool>& left, double noise_rev, estimate::LayoutAngles& found);

}  // namespace platter::mtbrc

// A list of tracks as nested repeats: cycles of tracks that come again at a constant step, for
// formats that name every track.
#pragma once

#include <vector>

#include "model/drive_model.h"

namespace platter::emit_disksim {

// `tracks` are leaves of count 1 in the order of slots; the result plays the same tracks. A cycle
// has 256 tracks at most. Angles count as equal steps within 1e-11 revolutions.
std::vector<model::LayoutNode> fold_tracks(const std::vector<model::LayoutNode>& tracks);

// Revolutions modulo 1, from 0.
double fraction(double rev);

}  // namespace platter::emit_disksim

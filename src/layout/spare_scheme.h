// What the drive keeps free for defects, in words: the spare schemes that the zones' maps show.
#pragma once

#include <string>

#include "layout/mapper.h"

namespace platter::layout {

// "none", or for instance "16 sectors of each cylinder that absorb slips and 2 to 3 tracks of each
// zone". Units are tracks, cylinders, groups of them, zones and the disk; what a group is called
// follows from the distance at which its spares come again.
std::string spare_scheme(const Mapper& mapper);

}  // namespace platter::layout

// What the drive keeps free for defects, in words: the units at whose ends the finished map leaves
// slots free, again and again.
#pragma once

#include <string>

#include "layout/mapper.h"

namespace platter::layout {

// "none", or for instance "16 sectors of each cylinder that absorb slips and 3 tracks of each
// zone". Units are tracks, cylinders (the tracks of a band, where a surface is swept), groups of
// them, zones and the disk. Slips that used up spares are counted back in. What fewer than most
// units show, or what a single one does, is said with "perhaps". Asks for places behind the ends of
// zones.
std::string spare_scheme(const Mapper& mapper, Survey& survey);

}  // namespace platter::layout

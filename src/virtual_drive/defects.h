// The defect lists of a virtual drive: which slots of its layout are media defects, and READ DEFECT
// DATA over them (SBC-3 clause 5.16).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "virtual_drive/sense_data.h"
#include "virtual_drive/told_places.h"

namespace platter::virtual_drive {

struct DefectSlots {
  std::vector<std::uint64_t> primary;  // slipped: the P list
  std::vector<std::uint64_t> grown;    // the places whose LBNs live elsewhere: the G list
};

// A model does not say why a slot holds no LBN; its place does. A run of skipped slots is space
// that the format keeps free, and no defect, if it
//   - touches the first or the last slot of a zone;
//   - is one of a regular series of eight or more at ends of tracks (a scratch is as regular, but
//   does
//     not keep to the ends);
//   - touches an end of a track, and the track before or behind it has skipped slots at the same
//   end
//     (spares for each track);
//   - touches an end of a cylinder, and is longer than one slot but no whole track, or the cylinder
//     before or behind it has skipped slots at the same end (spares for each cylinder, or group of
//     cylinders).
// All others are slipped defects: slot by slot, but the first slot alone where a whole track was
// slipped, for a drive lists what it found to be bad, not what it gave up for that. Runs of
// different entries are judged apart, so a defect just before a spare area remains one.
DefectSlots find_defects(const model::Layout& layout);

// What the lists of a drive name: the primary defects that its firmware was given, else those found
// in the layout. A drive that tells an even geometry tells of no defects.
DefectSlots defects_of(const model::DriveModel& model);

// READ DEFECT DATA(10) or (12) for the lists and format of the CDB, in the formats that the
// firmware names: physical sector (101b) and bytes from index (100b; the index is where the angle
// is 0). Any other is answered in the first of these with RECOVERED ERROR, DEFECT LIST NOT FOUND,
// as SBC-3 wants it. The list length field of (10) has 16 bits: there, what lies beyond 8191
// defects is left out.
Reply defect_data(const DefectSlots& defects, const ToldPlaces& places,
                  const std::vector<std::string>& formats, const scsi::Command& command);

}  // namespace platter::virtual_drive

// What can be told of a run before it: how long it takes, and by which commands it will reach the
// media. Nothing of the drive is changed.
#pragma once

#include <string>

#include "scsi/drive.h"
#include "scsi/inspection.h"

namespace platter::extract {

// That a drive says it has; rpm 0: it says none.
struct NominalSpeed {
  double rpm = 0;
  std::string said_by = {};  // "VPD page B1h"
};
NominalSpeed nominal_speed(scsi::Drive& drive);

// Of a run without a budget and without writes.
struct ExpectedTime {
  double seconds = 0;    // of the drive
  std::string rests_on;  // for a reader
};
// A drive that does not translate addresses says so; that takes nothing of its media.
ExpectedTime expected_time(scsi::Drive& drive);

// Tried with some 50 reads of one block at most, near the drive's middle.
scsi::ReadsReach reads_reach(scsi::Drive& drive);

}  // namespace platter::extract

// What each media access tells of the time from command to the first sector: it made a passage of
// the sector, and not the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "calibrate/measurement.h"
#include "calibrate/phase.h"
#include "model/drive_model.h"

namespace platter::calibrate {

// By so much the drive took longer than the model to be ready for the first sector: low < it <=
// high, in ms. One revolution lies between them.
struct Trial {
  std::size_t request = 0;
  double low_ms = 0, high_ms = 0;
  double left_ms = 0;   // of the difference in response, when whole revolutions are taken off
  int revolutions = 0;  // that the drive took longer
  std::uint32_t distance = 0;  // cylinders from where the request before left the arm
  bool inward = false;         // to a higher one
  bool other_head = false;
  bool write = false, after_write = false;
  bool extra = false;  // a write for which such drives disconnect once more
  bool one_track = true;
};

// Of the requests in `part` that went to the media on both sides, one at a time in the drive's
// time, the platter as `phase` has it against a platter that the model sets to 0 at the start.
std::vector<Trial> trials_of(const model::DriveModel& model, const Measurement& measured,
                             Range part, const Phase& phase);

}  // namespace platter::calibrate

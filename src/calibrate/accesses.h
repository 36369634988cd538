// The accesses of a measurement that went to the media on both sides, as angles: what the engine
// says of where the platter stands when such a request completes, and when it did.
#pragma once

#include <cstddef>
#include <vector>

#include "calibrate/measurement.h"
#include "model/drive_model.h"

namespace platter::calibrate {

struct Access {
  std::size_t request = 0;   // number in the trace
  double completion_ns = 0;  // the drive's
  double turn = 0;       // the platter's at completion, as the model's layout has it, 0 <= turn < 1
  std::size_t zone = 0;  // index of the layout's top-level node
  std::uint32_t cylinder = 0, head = 0;     // of the first block
  bool one_track = true;                    // all of it lies on the track of the first block
  bool write = false, after_write = false;  // it, and the request before it in the trace
};

// In the order of the trace. The model replays in the drive's time; requests that one of both
// served from its buffer are left out.
std::vector<Access> media_accesses(const model::DriveModel& model, const Measurement& measured,
                                   const replay::Result& in_drives_time);

}  // namespace platter::calibrate

// What a move of one arm takes longer while another arm of the drive is busy: MTBRCs of one
// distance, alone and beside a read that another arm was given just before.
#pragma once

#include <cstdint>
#include <functional>

#include "model/drive_model.h"
#include "model/lbn_range.h"
#include "mtbrc/context.h"
#include "scsi/device.h"

namespace platter::mtbrc {

struct InterferenceOptions {
  double target_error_ms = 0.004;
  std::uint32_t most_trials = 2000;  // of each kind
  Budget budget{40'000, 90 * kSecond};
};

// `device` is the one that the context's drive is on: nothing may be outstanding. `others`: blocks
// of another arm; those of its own arm are all that the context's drive does not leave out. A value
// below zero is the scatter of none. context.map with angles; caches off.
model::Parameter measure_interference(Context& context, scsi::Device& device,
                                      const std::vector<LbnRange>& others,
                                      const InterferenceOptions& options = {});

}  // namespace platter::mtbrc

// What tells the head switch and the write settle (DIXtrac, section 4.2).
#pragma once

#include <vector>

#include "estimate/samples.h"
#include "mtbrc/context.h"
#include "scsi/guard.h"

namespace platter::mtbrc {

struct SwitchOptions {
  double target_error_ms = 0.006;     // of the head switch
  double settle_error_ms = 0.0027;    // of each MTBRC of writes
  double supply_error_ms = 0.0027;    // of those that tell when a write's data come
  double constant_error_ms = 0.0029;  // of what SEEKs exceed MTBRCs by
  std::size_t tracks = 24;            // that are written to
  std::size_t commands = 360;         // SEEKs to another head, where SEEK is to be believed
  Budget budget{4000, 15 * kSecond};  // where the context has none
};

// Tracks all of whose LBNs may be written, at most `most`, spread over the permitted ranges; two
// and two of one cylinder where there are several; on a drive of one head, of neighbouring
// cylinders.
std::vector<engine::Track> writable_tracks(Context& context, const std::vector<LbnRange>& permitted,
                                           std::size_t most);

// MTBRC(read, read on another head of the cylinder). Needs same-track samples (measure_seeks or
// measure_same_track have taken them; else they are taken here).
void measure_head_switch(Context& context, const SwitchOptions& options = {});

// More trials of the shortest seek, by MTBRC and by SEEK, where SEEKs are to be believed: the
// constant between the two is part of each overhead of a read, and the shortest seeks tell it in
// the least time.
void sharpen_constant(Context& context, const SwitchOptions& options = {});

// MTBRCs of writes to another head of the cylinder, and on the track; on a drive of one head to the
// next cylinder (and measure_seeks must have been there). What they say (estimate/write_settle.h);
// without permitted ranges absent, with the reason. Write cache off.
model::Parameter measure_write_settle(Context& context, const std::vector<LbnRange>& permitted,
                                      const SwitchOptions& options = {});

}  // namespace platter::mtbrc

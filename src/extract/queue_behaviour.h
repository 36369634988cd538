// How a drive treats several commands at once: how many it takes before TASK SET FULL, and in which
// order it serves them. Batches of reads, all outstanding together in simple queue; then the order
// of their completions beside what the model would do under each known policy.
#pragma once

#include <cstdint>
#include <vector>

#include "model/drive_model.h"
#include "mtbrc/context.h"
#include "replay/result.h"
#include "scsi/device.h"

namespace platter::extract {

struct QueueOptions {
  std::uint32_t most_outstanding = 256;  // more are not tried
  std::uint32_t batches = 10;
  std::uint32_t batch_reads = 8;
};

struct QueueSamples {
  std::uint32_t asked = 0, taken = 0;   // commands at once, and how many of them the drive held
  std::uint32_t refused_when_full = 0;  // while it held so many; the others were refused by chance
  replay::Result reads;                 // of all batches, in the order in which they were sent
  std::vector<std::size_t> begins;  // of each batch in `reads`, behind the read that the drive was
                                    // busy with
  std::uint64_t commands = 0;
};

// Caches off; rotation known, and a map, or a measure of distances. `device` is the guarded one
// that the context's drive is on: nothing may be outstanding. What a drive refuses by chance tells
// nothing. A batch in which a command fails is left out. Where the path takes one command at a
// time, nothing is sent.
QueueSamples queue_samples(scsi::Device& device, mtbrc::Context& context,
                           const QueueOptions& options = {});

// Depth and policy of the model's queue, or the reasons why they are not known. Pure.
model::Queue estimate_queue(const QueueSamples& samples, const model::DriveModel& model);

}  // namespace platter::extract

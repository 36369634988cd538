// Raw samples: one command of a timing experiment, as issued and as completed, and what came before
// it. A run keeps them as JSON lines; the estimators are pure functions from them, so a run can be
// estimated again without the drive.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/units.h"

namespace platter::samples {
class Writer;
struct Line;
}  // namespace platter::samples

namespace platter::estimate {

enum class Experiment : std::uint8_t {
  rotation,      // repeated reads of one LBN
  anchor,        // a re-read of the run's reference LBN: ties the angle to the clock; of another
                 // sector that stands for it: group tells its angle (phase_drift.h)
  angle,         // one sector of a track whose angle is wanted
  same_track,    // MTBRC on one track
  seek,          // MTBRC over `group` cylinders (negative: outward); writes tell the settle
  head_switch,   // MTBRC between two heads of a cylinder; group = from * 65536 + to
  transfer,      // a read of `group` blocks; group 0: the read of one block before it
  hit,           // served by the cache; blocks tell the size
  seek_command,  // a SEEK over `group` cylinders (negative: outward) on one head; blocks = 0
  round_trip,    // TEST UNIT READY: the host's delay, and no media
  disturbed,     // of any, while the drive's settings were not what they should be: tells nothing
  wake,  // one block behind a rest; group = 1 + its power condition (model/power.h), 0: awake
  other,
};

struct Sample {
  Experiment experiment = Experiment::other;
  std::int64_t group = 0;  // what the experiment varies; see Experiment
  bool write = false;
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 1;
  Nanoseconds issued_ns = 0, completed_ns = 0;
  bool after_write = false;  // the command before it, which had completed when this one was issued
  std::uint64_t after_lbn = 0;
  Nanoseconds after_completed_ns = 0;
  // Of a run that was resumed: from 0, in the order of time. Each has its own clock, and the
  // platter turned on its own since: neither times nor phases of two of them are to be compared.
  std::uint32_t session = 0;
  // Of a round trip: when the host handed it to its adapter, and had it back; 0: not stamped.
  Nanoseconds dispatched_ns = 0, returned_ns = 0;
  // Of what is no write: a VERIFY, which sends nothing, in place of a READ (probe.h).
  bool verify = false;

  bool stamped() const { return dispatched_ns > 0; }
};

using Samples = std::vector<Sample>;

// Whether the accesses that tell of the mechanics are VERIFYs; reads among them tell of reads.
bool by_verifies(const Samples& samples);

// From the sample `from` on none tells anything any more (Experiment::disturbed); where
// `durations_stay`, none whose phase tells it: a SEEK takes as long on either side of a step.
void disturb(Samples& samples, std::size_t from, bool durations_stay = false);

// As payload "timing", times in ns of the device's clock.
void write_sample(samples::Writer& file, const Sample& sample);
// nullopt: the line holds another payload. Throws std::exception for fields that are no sample's.
std::optional<Sample> sample_of(const samples::Line& line);

}  // namespace platter::estimate

// The period of one revolution, from completions of repeated reads of one sector: with caches off
// they are whole revolutions apart (Wong 2019 reads in the same way; DIXtrac, section 4.2,
// "Rotational Speed", uses writes).
#pragma once

#include <optional>
#include <string>

#include "estimate/periods.h"
#include "estimate/samples.h"
#include "model/drive_model.h"
#include "statistics/regression.h"

namespace platter::estimate {

enum class RotationOutcome {
  measured,
  cache_still_on,  // reads of one sector come faster than kFastest_rpm
  irregular,       // completions are no whole revolutions apart
  too_few,         // not enough samples
};

struct RotationEstimate {
  RotationOutcome outcome = RotationOutcome::too_few;
  model::Rotation rotation;    // filled when measured; period.error in ns
  double phase_noise_ns = 0;   // spread of one completion about its place
  double drift_ppm = 0;        // of the period, from begin to end, in its error; 0: none shows
  double unseen_drift_ns = 0;  // of the period, that may be there though none shows; not in its
                               // error
  double relative_error() const;
  // With an error within two of which the period was at begin and end of the run, whatever drift
  // was not seen. Phases are counted by the error without: it is of the run's mean.
  model::Rotation of_whole_run() const;
};

// Pure: from the accesses to one LBN (experiments rotation and anchor, of the most frequent LBN;
// other samples are ignored), or, where each LBN came once, from the walk that they are. Bursts are
// tied together only where the revolutions between them can be counted without doubt. So it also
// refines the period from the anchors of a whole run.
RotationEstimate estimate_rotation(const Samples& samples);

// The platter's phase at a time of the device's clock, in revolutions, 0 <= phase < 1.
double phase_rev(const model::Rotation& rotation, Nanoseconds time_ns);

}  // namespace platter::estimate

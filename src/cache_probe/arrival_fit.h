// Zero-latency access (read/write on arrival) from whole-track accesses begun at known phases.
// Pure.
#pragma once

#include <optional>
#include <vector>

namespace platter::cache_probe {

struct ArrivalSample {
  double phase_rev = 0;  // from the angle of the first block to the platter's, at issue
  double response_rev = 0;
};

// Phases at which the arm comes down inside the request, as far as these samples tell where that
// is: they are what tells the two hypotheses apart.
std::vector<double> telling_phases(std::vector<ArrivalSample> samples, double blocks_rev);

struct ArrivalFit {
  enum class Answer { on_arrival, in_order, hidden, unclear };
  Answer answer = Answer::unclear;
  double residual_rev = 0;        // mean absolute, of the better hypothesis
  double other_residual_rev = 0;  // of the other
  double fixed_rev = 0;           // part of the response that the phase does not change
};

// Paper, section 4.3.4, decided by fit instead of by one sample. An access of `blocks_rev` (its
// length on the track, at most 1) whose arm arrives at phase p waits l = -p mod 1 for its first
// block. In order it takes l + blocks_rev. On arrival it takes one revolution if the arm comes down
// inside the request; a bus that moves a whole request in r < blocks_rev revolutions can then still
// be the last: max(1, l + r), or, where it keeps in step with the media first, 1 and the bus's time
// for what was read before the first block. Phase offset (seek, overhead), fixed time and r are
// fitted by least absolute deviations. `hidden`: the bus is slower than the media, which makes both
// the same; told by `bus_rev`, the request's time on the bus, or where that is not known by a long
// fixed time.
ArrivalFit fit_arrival(const std::vector<ArrivalSample>& samples, double blocks_rev,
                       std::optional<double> bus_rev = {});

}  // namespace platter::cache_probe

// What DiskSim says of each request while it runs ("Detailed execution trace"): when it was
// complete. Nothing that it says is taken on trust.
#pragma once

#include <cstdint>
#include <istream>
#include <span>
#include <stdexcept>
#include <vector>

#include "model/units.h"

namespace platter::emit_disksim_run {

struct Asked {
  std::uint64_t lbn = 0;
  Nanoseconds arrival_ns = 0;
};

// The end of a sentence about DiskSim: "completed block 7 before it arrived (line 9)".
class Nonsense : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Completion times of the requests, which DiskSim completes in any order; of several of one block
// the first is complete first. The last `unanswered` need not be: DiskSim ends with the arrival of
// a trace's last request; they stay out of what is returned. Two forms are read, Carnegie Mellon's
// lines ("Request completion: simtime T, devno D, blkno LBN, ...") and Western Digital's ("T,_,_,
// LBN,..."); other lines are passed over. Throws Nonsense.
std::vector<Nanoseconds> completions(std::istream& trace, std::span<const Asked> asked,
                                     std::size_t unanswered);

}  // namespace platter::emit_disksim_run

// Points computed: by some processes here, beside those that others may have running on the same
// folder.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "study/points.h"
#include "study/store.h"

namespace platter::study {

struct RunOptions {
  unsigned jobs = 1;          // processes
  bool keep_results = false;  // every request of every point
  std::string platter{};      // the program's version, in what is written
};

struct RunOutcome {
  std::uint64_t computed = 0;  // by this run, failed ones included
  std::uint64_t failed = 0;    // of these
  std::uint64_t found = 0;     // were there before
  double replay_s = 0;         // processor time of the replays, of this run
};

// Before the first is computed: how many are missing, and what they take in processor time by
// estimate.
using TellBeginning = std::function<void(std::uint64_t missing, double estimated_s)>;
// `share` of the whole that is to be done, 0 to 1, and how many points of how many.
using TellProgress = std::function<void(double share, std::uint64_t ended, std::uint64_t of)>;

// Computes those of the points (by index) that the store lacks. What another process has begun is
// waited for, not computed. Afterwards each is there, as a result or as a failure.
//
// Asked to stop (model/interruption.h) it throws Error(interrupted), and keeps what is computed.
// Throws Error(output) where a point cannot be stored.
RunOutcome run_points(const Study& study, const Points& points, std::span<const std::size_t> which,
                      const Program& program, const Store& store, const RunOptions& options,
                      const TellBeginning& tell_beginning, const TellProgress& tell);

}  // namespace platter::study

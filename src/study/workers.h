// Work in pieces, done by processes of this one: memory of one ends with it, and what is the matter
// with one is not the matter with the others. They end when this process does, however it ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace platter::study {

struct Done {
  bool by_others = false;  // by a process that is none of these
  bool failed = false;
  double replay_s = 0;
};

struct WorkersOutcome {
  std::uint64_t computed = 0, failed = 0, by_others = 0;
  double replay_s = 0;
};

// One piece; nullopt: others are at it, and it was not to wait for them.
using Work = std::function<std::optional<Done>(std::size_t item, bool wait)>;

// Does all pieces in their order, by so many processes, each of which makes its own Work. What
// others are at is waited for at the end. `costs`: of each piece, for the share that is told.
// An Error in a process is thrown here, and ends the others.
WorkersOutcome run_workers(
    std::size_t processes, std::span<const double> costs, const std::function<Work()>& make_work,
    const std::function<void(double share, std::uint64_t ended, std::uint64_t of)>& tell);

}  // namespace platter::study

// When a trace's requests are due, and the loop that issues them: the same for drives and models.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "replay/result.h"
#include "trace/trace.h"

namespace platter::replay {

// Reference reads are due this far from one another, and the trace as far after the last.
constexpr Nanoseconds kReferencePause_ns = 100 * kMillisecond;

// Single blocks, each from the media whatever the cache holds of the ones before: downwards through
// the middle of the drive, in steps that no read-ahead bridges backwards.
std::vector<std::uint64_t> reference_lbns(std::uint64_t blocks, std::uint32_t count);

// Something that takes the requests in the rows and fills in their issue and response times.
class Player {
 public:
  virtual ~Player() = default;
  // Issues the row's request when due, later while `depth` are outstanding.
  virtual void issue(std::vector<Response>& rows, std::size_t index, std::uint32_t depth) = 0;
  // Waits for all that are outstanding; when the last one completed, from the start of the replay.
  virtual Nanoseconds finish(std::vector<Response>& rows) = 0;
};

// The reference reads, then the trace: fills result.reference and result.requests. An open trace's
// requests are due at their arrival times, a closed one's a think time after the completion before.
using Progress = std::function<void(std::size_t done, std::size_t total)>;
void play(Player& player, const trace::Trace& trace, std::vector<std::uint64_t> references, Result& result,
          const Progress& progress = {});

}  // namespace platter::replay

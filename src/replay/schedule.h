// When a trace's requests are due, and the loop that issues them: the same for drives and models.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "replay/result_file.h"
#include "trace/stream.h"

namespace platter::replay {

// Reference reads are due this far from one another, and the trace as far after the last.
constexpr Nanoseconds kReferencePause_ns = 100 * kMillisecond;

// Single blocks, each from the media whatever the cache holds of the ones before: downwards through
// the middle of the drive, in steps that no read-ahead bridges backwards.
std::vector<std::uint64_t> reference_lbns(std::uint64_t blocks, std::uint32_t count);

// Something that takes requests and completes them, in its own time, which begins with the replay.
class Player {
 public:
  struct Done {
    std::uint64_t number = 0;  // of the request, as issued
    Nanoseconds issue_ns = 0, response_ns = 0;
    Nanoseconds refused_ns = 0;  // between the first attempt and `issue_ns`, that of the one served
    std::optional<bool> media{};

    Nanoseconds completion_ns() const { return issue_ns + response_ns; }
  };

  virtual ~Player() = default;
  // This request is the next to be issued: what can be done before its time.
  virtual void prepare(const Response& request) = 0;
  // The earliest completion not later than that; nullopt: there is none, and it is then that time.
  virtual std::optional<Done> next_by(Nanoseconds time_ns) = 0;
  // The next completion of what is outstanding.
  virtual Done next() = 0;
  // Issues the request prepared last, at the time (a drive: now, if that is later).
  virtual void issue(std::uint64_t number, Nanoseconds time_ns) = 0;
  // Most that it takes at once, as far as is known by now.
  virtual std::uint32_t room() const = 0;
};

struct Schedule {
  trace::Kind kind = trace::Kind::open;
  std::uint32_t depth = 1;   // most requests outstanding
  Nanoseconds start_ns = 0;  // when the trace begins
  std::uint64_t blocks = 0;  // of the drive: a request beyond them is an Error(bad_input)
};

// Issues all requests of the trace and hands them on as they are complete, in the trace's order.
// Those of an open trace are due at their arrival times and wait while `depth` are outstanding.
// Those of a closed one are issued by `depth` loops: each takes the trace's next request a think
// time after the completion of the one that it took before (the think time is that one's). Returns
// when the last request completed.
using Issued = std::function<void(std::uint64_t requests)>;
Nanoseconds play(Player& player, trace::Reader& trace, const Schedule& schedule, Part part,
                 Rows& rows, const Issued& issued = {});

// The reference reads, each when the one before is complete and its pause is over; returns when the
// trace is to begin.
Nanoseconds play_references(Player& player, const std::vector<std::uint64_t>& lbns, Rows& rows);

}  // namespace platter::replay

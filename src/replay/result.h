// What a replay measured or computed: each request with its issue and response time, and who it
// was. docs/metrics.md is the reference of its file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/passed_over.h"
#include "model/units.h"
#include "replay/host_queue_settings.h"
#include "replay/outside.h"
#include "trace/trace.h"

namespace platter::replay {

struct Response {
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 1;
  bool write = false;
  Nanoseconds due_ns = 0;       // when the trace wanted it issued, from the start of the replay
  Nanoseconds issue_ns = 0;     // when it was issued, from the start of the replay
  Nanoseconds response_ns = 0;  // issue to completion
  std::optional<bool> media{};  // whether it had to wait for the media; a drive does not tell
  // How much of issue less due it waited for its turn, as many outstanding as may be; the rest is
  // the host's.
  Nanoseconds waited_ns = 0;

  Nanoseconds completion_ns() const { return issue_ns + response_ns; }
  Nanoseconds late_ns() const { return issue_ns - due_ns - waited_ns; }  // through the host

  bool operator==(const Response&) const = default;
};

// Times that requests lost between when they were due and when they were issued.
struct Delay {
  double p50_ms = 0, p99_ms = 0, max_ms = 0;

  bool operator==(const Delay&) const = default;
};
struct Lateness {
  Delay host{};   // the host was not there in time
  Delay depth{};  // as many were outstanding as may be

  bool operator==(const Lateness&) const = default;
};

// Of an array of models: what it was, and what its members did.
struct ArrayHead {
  std::string level{};  // "raid0", "raid1", "raid5"
  std::uint32_t members = 0;
  std::uint64_t chunk_bytes = 0;   // raid0, raid5
  std::string read_balance{};      // raid1
  std::uint32_t stripe_cache = 0;  // raid5: stripes of a page of each member
  std::uint64_t phase_seed = 0;    // of the members' rotational phases; 0: none has one
  std::optional<std::uint32_t> missing{}, rebuild{};  // member, from 0
  std::uint64_t commands = 0;                         // that the members got
  std::uint64_t rebuilt_blocks = 0;                   // of the rebuilt member

  bool operator==(const ArrayHead&) const = default;
};

// Requests that the drive answered with GOOD and a part of their blocks: their times are not those
// of the whole requests.
struct CameShort {
  static constexpr std::size_t kMostNamed = 1000;
  struct Request {
    std::uint64_t number = 0;  // in the trace, from 0
    std::uint64_t lbn = 0;
    std::uint32_t blocks = 0, came_blocks = 0;
    bool operator==(const Request&) const = default;
  };
  std::uint64_t count = 0;
  std::vector<Request> first{};  // of them, as many as are named

  bool operator==(const CameShort&) const = default;
};

// What only a drive's result has.
struct ResultOfDrive {
  std::string drive_mark{};     // (identity/drive_mark.h), where it can be told from others
  std::uint64_t retries = 0;    // BUSY, TASK SET FULL, unit attentions
  std::uint64_t recovered = 0;  // requests, by its own retries (sense key 1h)
  std::map<std::string, std::uint64_t> warnings{};  // of its own state, with how often
  std::optional<CameShort> came_short{};

  bool operator==(const ResultOfDrive&) const = default;
};

// What only a model's result has.
struct ResultOfModel {
  std::string scheduler{};                    // in which order it serves what is outstanding
  double ageing = 0;                          // sptf
  std::uint64_t delay_seed = 0;               // of the host's delays; 0: always the median
  std::optional<double> period_error_ns{};    // one standard error, where known
  std::optional<double> block_transfer_ns{};  // of one block over the bus, where known
  std::optional<double> phase_ns{};           // how far ahead of nominal its platter was set
  std::optional<HostQueueUse> host_queue{};   // in front of it; requests are then its own
  std::uint64_t outside_validity = 0;         // requests beyond what the model measured
  std::optional<Outside> outside{};           // of these, by what; not of an array
  // Figures that were looked for and not measured, and what acts instead: "cache.segments",
  // "bounded, acts as 3".
  std::map<std::string, std::string> stand_ins{};
  std::optional<ArrayHead> array{};  // where the model is an array of models

  bool operator==(const ResultOfModel&) const = default;
};

// All but the requests.
struct ResultHead : ResultOfDrive, ResultOfModel {
  enum class Target : std::uint8_t { drive, model };
  Target target = Target::drive;
  std::string name{};   // the drive's or the model's
  std::string trace{};  // what was replayed
  trace::Kind kind = trace::Kind::open;
  std::uint32_t depth = 1;         // most requests outstanding
  std::uint32_t asked_depth = 0;   // where more were asked for than the target takes; else 0
  bool think_in_front = false;     // the trace's think times were taken so (trace/think_times.h)
  double speed = 1;                // by which the trace's arrival and think times were divided
  std::string fit{};               // what made a trace of a larger drive fit (trace/fit.h); else ""
  std::string caches = "default";  // "default", "off", "forced" (replay_model.h), "unknown"
  std::uint32_t block_bytes = 512;
  std::optional<double> period_ns{};   // of one revolution, where known
  std::optional<Lateness> lateness{};  // of the trace's requests
  model::PassedOver passed_over{};     // of the file that it was read from; in no file

  bool operator==(const ResultHead&) const = default;
};

struct Result : ResultHead {
  std::vector<Response> reference{};  // reads made first, all from the media, to set the phase by
  std::vector<Response> requests{};   // those of the trace, in its order
};

// `path` is a result file, or a trace whose service times are those of the drive that it was taken
// on. Throws Error(bad_input) that names what is wrong, in text with its line. A notice
// tells what was passed over in a file of a newer minor version.
// `think_in_front`: of a validate trace, how its think times are taken.
Result load_result(const std::string& path, bool think_in_front = false);
void save_result(const Result& result, const std::string& path);  // atomic; Error(output)

// The result of the drive that a trace was measured on: of a closed one each issue time is the
// completion before it plus its think time, of an open one the arrival. Throws Error(bad_input) if
// a service time is missing.
Result result_of_trace(const trace::Trace& trace);

}  // namespace platter::replay

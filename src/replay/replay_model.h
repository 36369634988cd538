// A trace on a model: the engine answers, in its own time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/request.h"
#include "engine/tables.h"
#include "model/drive_model.h"
#include "model/stand_ins.h"
#include "replay/delays.h"
#include "replay/host_queue_settings.h"
#include "replay/result.h"
#include "replay/result_file.h"
#include "replay/result_source.h"
#include "replay/schedule.h"
#include "trace/trace.h"

namespace platter::engine {
class Engine;
}  // namespace platter::engine

namespace platter::replay {

// What can be replayed on, from wherever it comes: compiled tables, and what a result says of them.
struct Subject {
  std::string name{};
  std::uint64_t blocks = 0;
  std::uint32_t block_bytes = 512;
  std::optional<double> block_transfer_ns{};  // of one block over the bus, where known
  std::optional<double> period_error_ns{};    // of the revolution, where the model states it
  std::shared_ptr<const engine::Tables> tables{};
  std::vector<model::StandIn> stand_ins{};  // what the tables have that was not measured
  // Where the model tells the delays of the host that measured it: these, around tables that lack
  // them.
  struct WithDelays {
    std::shared_ptr<const engine::Tables> tables;
    Delays delays;
  };
  std::optional<WithDelays> with_delays{};
};

// Throws Error(bad_input) for a model that lacks what an engine needs.
Subject subject_of(const model::DriveModel& model);
Subject subject_of(const model::Identity& identity, std::shared_ptr<const engine::Tables> tables);

enum class Caches : std::uint8_t {
  as_they_are,
  off,
  forced,  // as they are, and bypassed: all reads and writes go with FUA
};

// In results and on command lines ("default", "off", "forced"); of what has no such name (a
// result's "unknown"): as they are.
const char* name_of(Caches caches);
Caches caches_of(const std::string& name);

struct ModelReplay {
  Caches caches = Caches::as_they_are;
  std::uint32_t depth = 1;             // most requests outstanding
  std::uint32_t reference_reads = 16;  // before the trace
  // Seeds what the host adds to each request, where the model tells that and one request is
  // outstanding at a time; 0: always its median. Not with `like`: there the drive's own issue times
  // are given.
  std::uint64_t delay_seed = 0;
  // In which order the model serves what is outstanding, in place of its own way.
  std::optional<engine::QueueSettings> queue{};
  // The host's queue in front of the drive, which gets `depth` commands at once from it. Not with
  // `like`.
  std::optional<HostQueueSettings> host_queue{};
  // The same trace's result on the drive. The model then gets every request, the reference reads
  // first, at the time at which the drive got it, and its platter is set once, so that its
  // reference reads end at the angle at which the drive's did (without any: its first 100 media
  // accesses), and runs free from there.
  const Result* like = nullptr;
};

// The subject's engine with what these options change of its own way: caches, queue.
engine::Engine engine_for(const Subject& subject, const ModelReplay& options);

// The order's name on command lines and in results ("fcfs", "c-look"), and the way back; nullopt
// for a name that no order has.
const char* name_of(engine::Scheduler scheduler);
std::optional<engine::Scheduler> scheduler_of(const std::string& name);

// What a result will say that is known before the replay: who, which trace, how.
ResultHead head_of_replay(const Subject& subject, const trace::Source& trace,
                          const ModelReplay& options);

// Without `like`, requests are issued as play() (schedule.h) says, think times at the model's own
// completions, as in DiskSim's validate mode. Throws Error(bad_input) for a request past the
// model's end, or a `like` of another trace.
Result replay_on_model(const Subject& subject, const trace::Trace& trace,
                       const ModelReplay& options = {});
Result replay_on_model(const model::DriveModel& model, const trace::Trace& trace,
                       const ModelReplay& options = {});

// The same for a trace that may be longer than memory, without `like`: the requests go to `rows`,
// what the result is to say of them comes back (without lateness).
ResultHead replay_on_model(const Subject& subject, trace::Reader& trace, const ModelReplay& options,
                           Rows& rows);

// The same as with `like`, whose result may be as long and is read several times.
ResultHead replay_in_drives_time(const Subject& subject, trace::Reader& trace,
                                 const OpenResult& drive, const ModelReplay& options, Rows& rows);

}  // namespace platter::replay

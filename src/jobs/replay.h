// A trace on a drive, a model or an array of models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "array/replay_array.h"
#include "jobs/outputs.h"
#include "jobs/progress.h"
#include "jobs/quiet_host.h"
#include "jobs/trace_options.h"
#include "replay/replay_model.h"
#include "replay/result.h"
#include "replay/shaped.h"
#include "replay/summary.h"

namespace platter::jobs {

// What a user says of an array of models.
struct ArrayOptions {
  std::string level, balance = "nearest";  // level: "" for a single drive
  std::uint64_t stripe_kib = 512, window_kib = 128, least_kib_per_s = 1000, most_kib_per_s = 200000,
                phase_seed = 1, merge_kib = 512;
  double tick_ms = 4;
  std::uint32_t stripes = 256, device_queue = 0;
  std::optional<std::uint32_t> missing{}, rebuild{};

  bool wanted() const { return !level.empty(); }
  array::ArrayPlan plan() const;
};

struct ReplayRun {
  TraceOptions trace;
  ArrayOptions array;
  std::vector<std::string> members;  // of the array; else the target alone
  std::string target;                // a device, a model, a table or DiskSim's files
  std::string output;                // the result's file; "": none
  std::string phase_from;            // a result that sets a model's phase; "": none
  replay::Caches caches = replay::Caches::as_they_are;
  std::optional<engine::QueueSettings> queue;  // none: the model's own
  std::optional<std::string> host_queue;       // as replay::host_queue_of() takes it
  std::uint32_t depth = 1, reference_reads = 16;
  std::uint64_t delay_seed = 1;
  replay::Shape shape;
  trace::Fit fit = trace::Fit::none;
  std::vector<std::string> writes, not_in_use;  // of a drive
  QuietHostOption quiet;
  Outputs outputs;
};

// What a replay leaves: its file, if one was asked for, is written; its figures are here.
struct Replayed {
  replay::ResultHead head;
  replay::Summary summary;
  std::optional<std::string> journal_stays{};  // of a drive
};

Replayed replay_trace(const ReplayRun& run, Progress& progress);
// After all that was found is told. Throws Error(drive_error) for requests that came short,
// Error(output) where a journal stays.
void require_all_well(const Replayed& replayed);

}  // namespace platter::jobs

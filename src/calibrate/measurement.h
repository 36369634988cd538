// What a model is calibrated with: a drive's result, the trace that it answers, and which part of
// it may be learned from; the rest judges.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/drive_model.h"
#include "replay/compare.h"
#include "replay/replay_model.h"
#include "replay/result.h"
#include "trace/trace.h"

namespace platter::calibrate {

// A run of requests, by their numbers in the trace.
struct Range {
  std::size_t begin = 0, end = 0;
  bool contains(std::size_t i) const { return i >= begin && i < end; }
  std::size_t size() const { return end - begin; }
};

class Measurement {
 public:
  // A closed result's think times are those between its completions and the next issues. Throws
  // Error(bad_input) for fewer than 200 requests, a model's result, requests past the drive's end.
  Measurement(replay::Result drive, Range learn, Range judge);

  const replay::Result& drive() const { return drive_; }
  const trace::Trace& trace() const { return trace_; }
  Range learn() const { return learn_; }
  Range judge() const { return judge_; }
  Range all() const { return {0, drive_.requests.size()}; }

  // The same with each think time taken as the one in front of its request: some recorders write it
  // there (coherence.h finds out).
  Measurement with_think_times_in_front() const;

  // The trace on the model: in its own time, as `platter replay` does; or each request when the
  // drive got it, the platter set by the first media accesses (--phase-from).
  replay::Result replay_in_own_time(const model::DriveModel& model) const;
  replay::Result replay_in_drives_time(const model::DriveModel& model) const;
  // Whether a replay in its own time says nothing of single requests: several were outstanding, and
  // one's error is that of all behind it; or they came when the trace has them, so that the
  // platter's phase, which no model knows, is never set.
  bool free_running() const;
  // As far as what may be learned from: in its own time; in the drive's where that runs free.
  replay::Result replay_learned(const model::DriveModel& model) const;

  // Requests that models were asked to answer so far: the work of a search, on any machine.
  std::uint64_t replayed() const { return replayed_; }

  // As `platter compare`, over a part of the requests.
  replay::Comparison compare(const replay::Result& model, Range part) const;

 private:
  replay::ModelReplay own_time() const;

  replay::Result drive_;
  trace::Trace trace_, learned_;  // learned_: as far as what may be learned from
  replay::Result learned_drive_;  // of these
  Range learn_, judge_;
  mutable std::uint64_t replayed_ = 0;
};

// The demerit alone, in ms.
double demerit_ms(const replay::Result& drive, const replay::Result& model, Range part);

}  // namespace platter::calibrate

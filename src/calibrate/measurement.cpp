#include "calibrate/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/error.h"
#include "replay/replay_model.h"
#include "statistics/distribution.h"

namespace platter::calibrate {
namespace {

constexpr std::size_t kFewestRequests = 200;

trace::Trace trace_of(const replay::Result& drive) {
  trace::Trace trace{.kind = drive.kind, .name = drive.trace, .requests = {}};
  for (std::size_t i = 0; i < drive.requests.size(); ++i) {
    const replay::Response& from = drive.requests[i];
    trace::Request request;
    request.lbn = from.lbn;
    request.blocks = from.blocks;
    request.write = from.write;
    request.arrival_ns = from.due_ns - drive.requests.front().due_ns;
    request.service_ns = from.response_ns;
    if (i + 1 < drive.requests.size())
      request.think_ns = std::max<Nanoseconds>(
          0, drive.requests[i + 1].issue_ns - from.completion_ns());
    trace.requests.push_back(request);
  }
  return trace;
}

replay::Result part_of(const replay::Result& whole, Range part) {
  replay::Result result = whole;
  result.requests.assign(whole.requests.begin() + static_cast<std::ptrdiff_t>(part.begin),
                         whole.requests.begin() + static_cast<std::ptrdiff_t>(part.end));
  return result;
}

std::vector<double> sorted_ms(const replay::Result& result, Range part) {
  std::vector<double> times;
  for (std::size_t i = part.begin; i < part.end; ++i)
    times.push_back(to_ms(result.requests[i].response_ns));
  std::sort(times.begin(), times.end());
  return times;
}

// Each request when the drive got it.
replay::Result replay_like(const model::DriveModel& model, const trace::Trace& trace,
                           const replay::Result& drive) {
  replay::ModelReplay how;
  how.caches = replay::caches_of(drive.caches);
  how.like = &drive;
  return replay::replay_on_model(model, trace, how);
}

}  // namespace

Measurement::Measurement(replay::Result drive, Range learn, Range judge)
    : drive_(std::move(drive)),
      trace_(trace_of(drive_)),
      learned_(trace_),
      learn_(learn),
      judge_(judge) {
  if (drive_.target != replay::Result::Target::drive)
    throw Error(ExitStatus::bad_input,
                fmt::format("the result of {} is a model's; calibrate with one that was measured "
                            "on a drive",
                            drive_.name));
  if (learn.size() < kFewestRequests || judge.size() < kFewestRequests)
    throw Error(ExitStatus::bad_input,
                fmt::format("the result of {} has {} requests, too few to learn from one half and "
                            "to judge by the other; measure at least {}",
                            drive_.name, drive_.requests.size(), 2 * kFewestRequests));
  learned_.requests.resize(learn.end);
  learned_drive_ = drive_;
  learned_drive_.requests.resize(learn.end);
}

Measurement Measurement::with_think_times_in_front() const {
  replay::Result drive = drive_;
  Nanoseconds now_ns = drive.requests.front().completion_ns();
  for (std::size_t i = 1; i < drive.requests.size(); ++i) {
    drive.requests[i].issue_ns = drive.requests[i].due_ns = now_ns + trace_.requests[i].think_ns;
    now_ns = drive.requests[i].completion_ns();
  }
  return {std::move(drive), learn_, judge_};
}

replay::ModelReplay Measurement::own_time() const {
  replay::ModelReplay how;
  how.caches = replay::caches_of(drive_.caches);
  how.depth = drive_.depth;
  how.reference_reads = static_cast<std::uint32_t>(drive_.reference.size());
  return how;
}

replay::Result Measurement::replay_in_own_time(const model::DriveModel& model) const {
  replayed_ += trace_.requests.size();
  return replay::replay_on_model(model, trace_, own_time());
}

bool Measurement::free_running() const {
  return drive_.depth > 1 || drive_.kind == trace::Kind::open;
}

replay::Result Measurement::replay_learned(const model::DriveModel& model) const {
  replayed_ += learned_.requests.size();
  return free_running() ? replay_like(model, learned_, learned_drive_)
                        : replay::replay_on_model(model, learned_, own_time());
}

replay::Result Measurement::replay_in_drives_time(const model::DriveModel& model) const {
  replayed_ += trace_.requests.size();
  return replay_like(model, trace_, drive_);
}

replay::Comparison Measurement::compare(const replay::Result& model, Range part) const {
  return replay::compare(part_of(drive_, part), part_of(model, part));
}

double demerit_ms(const replay::Result& drive, const replay::Result& model, Range part) {
  return statistics::demerit(sorted_ms(drive, part), sorted_ms(model, part));
}

}  // namespace platter::calibrate

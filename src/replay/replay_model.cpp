#include "replay/replay_model.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/engine.h"
#include "model/error.h"
#include "model/standing.h"
#include "replay/hits.h"
#include "replay/schedule.h"
#include "statistics/distribution.h"

namespace platter::replay {
namespace {

constexpr std::size_t kPhaseAccesses = 100;

double exact_period_ns(const engine::FlatMotion& motion) {
  return static_cast<double>(motion.numerator_ns) / static_cast<double>(motion.denominator);
}

std::string name_of(const model::Identity& identity) {
  return identity.name.empty() ? fmt::format("{} {}", identity.vendor, identity.product)
                               : identity.name;
}

// Requests into an engine, completions out of it into the rows that they belong to.
class ModelPlayer final : public Player {
 public:
  ModelPlayer(const engine::Engine& engine, Nanoseconds phase_ns)
      : engine_(engine), phase_ns_(phase_ns) {}

  void issue(std::vector<Response>& rows, std::size_t index, std::uint32_t depth) override {
    Response& row = rows[index];
    Nanoseconds now_ns = std::max(row.due_ns, latest_issue_ns_);
    while (engine_.outstanding() > 0 && *engine_.next_completion_time() <= now_ns) take(rows);
    while (engine_.outstanding() >= depth) now_ns = std::max(now_ns, take(rows));
    engine::Request request;
    request.lbn = row.lbn;
    request.blocks = row.blocks;
    request.write = row.write;
    request.tag = static_cast<std::uint32_t>(index);
    request.disturbance.phase_ns = phase_ns_;
    while (!engine_.submit(request, now_ns)) {
      if (engine_.outstanding() == 0)
        throw Error(ExitStatus::internal, "the engine refuses a request while its queue is empty");
      now_ns = std::max(now_ns, take(rows));
    }
    row.issue_ns = latest_issue_ns_ = now_ns;
  }

  Nanoseconds finish(std::vector<Response>& rows) override {
    while (engine_.outstanding() > 0) take(rows);
    return latest_completion_ns_;
  }

  std::uint64_t outside_validity() const { return outside_validity_; }

 private:
  Nanoseconds take(std::vector<Response>& rows) {
    const engine::Completion completion = *engine_.next_completion();
    Response& row = rows.at(completion.tag);
    row.response_ns = completion.completion_ns - row.issue_ns;
    row.media = completion.media_access;
    if (completion.outside_validity) ++outside_validity_;
    latest_completion_ns_ = std::max(latest_completion_ns_, completion.completion_ns);
    return completion.completion_ns;
  }

  engine::Engine engine_;
  Nanoseconds phase_ns_;
  Nanoseconds latest_issue_ns_ = 0, latest_completion_ns_ = 0;
  std::uint64_t outside_validity_ = 0;
};

// Every request when the drive got it; what the model has not finished by then waits in its queue.
void run_in_drives_time(Player& player, const Result& drive, Result& result) {
  constexpr std::uint32_t kAnyDepth = ~0u;
  const auto played = [&](const std::vector<Response>& rows) {
    std::vector<Response> mine = rows;
    for (Response& row : mine) {
      row.due_ns = row.issue_ns;
      row.media.reset();
    }
    return mine;
  };
  result.reference = played(drive.reference);
  for (std::size_t i = 0; i < result.reference.size(); ++i) player.issue(result.reference, i, kAnyDepth);
  player.finish(result.reference);
  result.requests = played(drive.requests);
  for (std::size_t i = 0; i < result.requests.size(); ++i) player.issue(result.requests, i, kAnyDepth);
  player.finish(result.requests);
}

void require_same_requests(const trace::Trace& trace, const Result& like) {
  bool same = trace.requests.size() == like.requests.size();
  for (std::size_t i = 0; same && i < trace.requests.size(); ++i)
    same = trace.requests[i].lbn == like.requests[i].lbn &&
           trace.requests[i].blocks == like.requests[i].blocks &&
           trace.requests[i].write == like.requests[i].write;
  if (!same)
    throw Error(ExitStatus::bad_input,
                fmt::format("the result of {} is not one of the trace {}: their requests differ; "
                            "give the result of the same trace",
                            like.name, trace.name));
}

double completion_difference_ns(const Response& drive, const Response& model) {
  return static_cast<double>(model.completion_ns() - drive.completion_ns());
}

}  // namespace

double phase_between(const Result& drive, const Result& model, double period_ns) {
  const HitRule rule = HitRule::of_period(period_ns, model.block_transfer_ns.value_or(0));
  std::vector<double> differences;
  const auto collect = [&](const std::vector<Response>& theirs, const std::vector<Response>& mine,
                           std::size_t most) {
    for (std::size_t i = 0; i < std::min(theirs.size(), mine.size()); ++i)
      if (differences.size() < most && rule.both_from_media(theirs[i], mine[i]))
        differences.push_back(completion_difference_ns(theirs[i], mine[i]));
  };
  collect(drive.reference, model.reference, drive.reference.size());
  if (differences.empty()) collect(drive.requests, model.requests, kPhaseAccesses);
  return statistics::circular_median(differences, period_ns);
}

Subject subject_of(const model::Identity& identity, std::shared_ptr<const engine::Tables> tables) {
  Subject subject{.name = name_of(identity),
                  .blocks = identity.blocks,
                  .block_bytes = identity.block_bytes,
                  .tables = std::move(tables)};
  if (const Nanoseconds block_ns = subject.tables->bus.read_block_ns; block_ns > 0)
    subject.block_transfer_ns = static_cast<double>(block_ns);
  return subject;
}

Subject subject_of(const model::DriveModel& model) {
  Subject subject = subject_of(model.identity, std::make_shared<const engine::Tables>(model));
  subject.name = model::with_standing(subject.name, model.provenance, model.validity);
  return subject;
}

Result replay_on_model(const model::DriveModel& model, const trace::Trace& trace,
                       const ModelReplay& options) {
  return replay_on_model(subject_of(model), trace, options);
}

Result replay_on_model(const Subject& subject, const trace::Trace& trace, const ModelReplay& options) {
  engine::Engine engine(subject.tables);
  trace::require_within(trace, engine.blocks());
  if (options.like) require_same_requests(trace, *options.like);
  if (options.caches == Caches::off)
    engine.set_cache({.read_cache = false, .write_cache = false, .read_ahead = false}, 0);
  if (options.queue) engine.set_queue(*options.queue);
  // What the drive took at once the model must take at once, whatever its depth.
  if (options.like) {
    engine::QueueSettings queue = engine.queue_settings();
    queue.depth = 0;
    engine.set_queue(queue);
  }

  Result result;
  result.target = Result::Target::model;
  result.name = subject.name;
  result.trace = trace.name;
  result.kind = trace.kind;
  result.depth = trace.kind == trace::Kind::closed
                     ? 1
                     : std::min(options.depth, engine.most_outstanding());
  result.caches = options.caches == Caches::off ? "off" : "default";
  result.block_bytes = subject.block_bytes;
  result.period_ns = exact_period_ns(subject.tables->motion);
  result.block_transfer_ns = subject.block_transfer_ns;

  const auto run = [&](double phase_ns) {
    ModelPlayer player(engine, static_cast<Nanoseconds>(std::llround(phase_ns)));
    result.phase_ns = phase_ns;
    if (options.like) {
      run_in_drives_time(player, *options.like, result);
    } else {
      play(player, trace, reference_lbns(engine.blocks(), options.reference_reads), result);
    }
    result.outside_validity = player.outside_validity();
  };
  run(0);
  if (options.like) run(phase_between(*options.like, result, *result.period_ns));
  return result;
}

}  // namespace platter::replay

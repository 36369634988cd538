#include "replay/replay_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "model/completeness.h"
#include "model/error.h"
#include "replay/compare.h"
#include "replay/hits.h"
#include "replay/host_queue.h"
#include "replay/outside.h"
#include "replay/schedule.h"
#include "statistics/distribution.h"

namespace platter::replay {
namespace {

constexpr std::array<const char*, 5> kSchedulers = {"fcfs", "sstf", "look", "c-look", "sptf"};
constexpr std::array<const char*, 3> kCaches = {"default", "off", "forced"};

double exact_period_ns(const engine::FlatMotion& motion) {
  return static_cast<double>(motion.numerator_ns) / static_cast<double>(motion.denominator);
}

std::string name_of(const model::Identity& identity) {
  return identity.name.empty() ? fmt::format("{} {}", identity.vendor, identity.product)
                               : identity.name;
}

// Requests into an engine, completions out of it.
class ModelPlayer final : public Player {
 public:
  // `one_at_a_time`: nothing is issued while something is outstanding. `delays`: only then.
  ModelPlayer(const engine::Engine& engine, Nanoseconds phase_ns, bool one_at_a_time, Caches caches,
              const OutsideCount& outside, std::optional<Delays> delays = {})
      : engine_(engine),
        phase_ns_(phase_ns),
        one_at_a_time_(one_at_a_time),
        outside_(outside),
        delays_(std::move(delays)) {
    request_.force_unit_access = caches == Caches::forced;
  }

  void prepare(const Response& request) override {
    request_.lbn = request.lbn;
    request_.blocks = request.blocks;
    request_.write = request.write;
    request_.disturbance.phase_ns = phase_ns_;
  }

  std::optional<Done> next_by(Nanoseconds time_ns) override {
    if (one_at_a_time_)
      return served_ && served_->completion_ns() <= time_ns ? std::optional(next()) : std::nullopt;
    if (engine_.outstanding() == 0 || *engine_.next_completion_time() > time_ns)
      return std::nullopt;
    return next();
  }

  Done next() override {
    return one_at_a_time_ ? *std::exchange(served_, {}) : done_of(*engine_.next_completion());
  }

  void issue(std::uint64_t number, Nanoseconds time_ns) override {
    request_.tag = static_cast<std::uint32_t>(number);
    latest_ = number;
    outside_.add(request_.lbn, request_.blocks, request_.write, engine_.outstanding());
    if (one_at_a_time_)
      serve(time_ns);
    else if (!engine_.submit(request_, time_ns))
      throw Error(ExitStatus::internal, "the engine refuses a request though its queue has room");
  }

  std::uint32_t room() const override { return one_at_a_time_ ? 1 : engine_.most_outstanding(); }
  // Of the requests since; those before set the platter.
  void begin_trace() { outside_.begin_anew(); }
  const OutsideCount& outside() const { return outside_; }

 private:
  void serve(Nanoseconds time_ns) {
    const OnTheWay delay = delays_ ? delays_->draw() : OnTheWay{};
    served_ = done_of(engine_.service(request_, time_ns + delay.there_ns));
    served_->issue_ns = time_ns;
    served_->response_ns += delay.there_ns + delay.back_ns;
  }

  Done done_of(const engine::Completion& completion) {
    // Tags are the lower half of numbers.
    const std::uint32_t ago = static_cast<std::uint32_t>(latest_) - completion.tag;
    return {.number = latest_ - ago,
            .issue_ns = completion.arrival_ns,
            .response_ns = completion.completion_ns - completion.arrival_ns,
            .media = completion.media_access};
  }

  engine::Engine engine_;
  Nanoseconds phase_ns_;
  bool one_at_a_time_;
  OutsideCount outside_;
  engine::Request request_{};
  std::uint64_t latest_ = 0;
  std::optional<Delays> delays_;
  std::optional<Done> served_{};
};

// As many as the engine has room for.
constexpr std::uint32_t kAnyDepth = ~0u;

// A request that arrives as the drive got it.
trace::Request as_issued(const Response& row) {
  return {.arrival_ns = row.issue_ns, .lbn = row.lbn, .blocks = row.blocks, .write = row.write};
}

// At depth 1 the delays of requests are their own, and none is still under way when the next is
// issued.
bool draws_delays(const Subject& subject, const ModelReplay& options) {
  return subject.with_delays && options.delay_seed != 0 && options.depth == 1 && !options.like;
}

// Of a host's queue: an open trace's requests wait for room in it alone, a closed one's are as many
// as its loops.
std::uint32_t outstanding_in_front(const HostQueueSettings& host, const ResultHead& head) {
  if (head.kind == trace::Kind::open) return kAnyDepth;
  return host.loops > 0 ? host.loops : head.depth;
}

// The trace's requests of the drive's result, each arriving when the drive got it.
class DrivesTrace final : public trace::Reader {
 public:
  explicit DrivesTrace(const OpenResult& drive) : drive_(drive()), rows_(*drive_) {
    source_.name = drive_->head().trace;
  }

  const trace::Source& source() const override { return source_; }
  std::size_t read(std::span<trace::Request> out) override {
    std::size_t count = 0;
    for (const Response* row; count < out.size() && (row = rows_.next()); ++count)
      out[count] = as_issued(*row);
    return count;
  }

 private:
  std::unique_ptr<ResultReader> drive_;
  TraceRows rows_;
  trace::Source source_{};
};

// Differences of completions over the reference reads, or over the first accesses that went to the
// media on both sides: how far ahead of a model's platter, which ran at phase 0, the drive's must
// have been.
class PhaseDifferences final : public Rows {
 public:
  struct Enough {};  // ends the run that is looked at

  PhaseDifferences(const OpenResult& drive, const std::vector<Response>& reference, HitRule rule)
      : drive_(drive()), drives_rows_(*drive_), reference_(reference), rule_(rule) {}

  void add(Part part, std::span<const Response> rows) override {
    for (const Response& row : rows) {
      const Response* const drives = part == Part::trace               ? drives_rows_.next()
                                     : references_ < reference_.size() ? &reference_[references_++]
                                                                       : nullptr;
      if (drives && rule_.both_from_media(*drives, row))
        differences_.push_back(static_cast<double>(row.completion_ns() - drives->completion_ns()));
      if (part == Part::trace && differences_.size() == kPhaseAccesses) throw Enough{};
    }
  }

  bool empty() const { return differences_.empty(); }
  double phase_ns(double period_ns) const {
    return statistics::circular_median(differences_, period_ns);
  }

 private:
  std::unique_ptr<ResultReader> drive_;
  TraceRows drives_rows_;
  const std::vector<Response>& reference_;
  HitRule rule_;
  std::size_t references_ = 0;
  std::vector<double> differences_{};
};

// Returns the reference reads.
std::vector<Response> require_same_requests(trace::Reader& trace, const OpenResult& drive) {
  const std::unique_ptr<ResultReader> result = drive();
  std::vector<Response> reference;
  TraceRows rows(*result, &reference);
  std::array<trace::Request, 4096> requests;
  const auto differ = [&] {
    throw Error(ExitStatus::bad_input,
                fmt::format("the result of {} is not one of the trace {}: their requests differ; "
                            "give the result of the same trace",
                            result->head().name, trace.source().name));
  };
  while (const std::size_t count = trace.read(requests))
    for (const trace::Request& request : std::span(requests).first(count)) {
      const Response* const row = rows.next();
      if (!row || row->lbn != request.lbn || row->blocks != request.blocks ||
          row->write != request.write)
        differ();
    }
  if (rows.next()) differ();
  return reference;
}

}  // namespace

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
  subject.period_error_ns = model.rotation.period.error;
  subject.stand_ins = model::stand_ins(model);
  if (tells_delays(model))
    subject.with_delays = {std::make_shared<const engine::Tables>(without_delays(model)),
                           Delays(model)};
  return subject;
}

engine::Engine engine_for(const Subject& subject, const ModelReplay& options) {
  engine::Engine engine(draws_delays(subject, options) ? subject.with_delays->tables
                                                       : subject.tables);
  if (options.caches == Caches::off)
    engine.set_cache({.read_cache = false, .write_cache = false, .read_ahead = false}, 0);
  if (options.queue) engine.set_queue(*options.queue);
  // What the drive took at once the model must take at once, whatever its depth.
  if (options.like) {
    engine::QueueSettings queue = engine.queue_settings();
    queue.depth = 0;
    engine.set_queue(queue);
  }
  return engine;
}

const char* name_of(Caches caches) { return kCaches[static_cast<std::size_t>(caches)]; }

Caches caches_of(const std::string& name) {
  const auto found = std::ranges::find(kCaches, name);
  return found == kCaches.end() ? Caches::as_they_are
                                : static_cast<Caches>(found - kCaches.begin());
}

const char* name_of(engine::Scheduler scheduler) {
  return kSchedulers[static_cast<std::size_t>(scheduler)];
}

std::optional<engine::Scheduler> scheduler_of(const std::string& name) {
  const auto found = std::ranges::find(kSchedulers, name);
  if (found == kSchedulers.end()) return std::nullopt;
  return static_cast<engine::Scheduler>(found - kSchedulers.begin());
}

Result replay_on_model(const model::DriveModel& model, const trace::Trace& trace,
                       const ModelReplay& options) {
  return replay_on_model(subject_of(model), trace, options);
}

ResultHead head_of_replay(const Subject& subject, const trace::Source& trace,
                          const ModelReplay& options) {
  ResultHead head;
  head.target = ResultHead::Target::model;
  head.name = subject.name;
  head.trace = trace.name;
  head.kind = trace.kind;
  const std::uint32_t asked = options.like ? options.like->depth : options.depth;
  const engine::Engine engine = engine_for(subject, options);
  head.depth = std::min(asked, engine.most_outstanding());
  if (head.depth < asked) head.asked_depth = asked;
  head.scheduler = name_of(engine.queue_settings().scheduler);
  head.ageing = engine.queue_settings().ageing;
  if (draws_delays(subject, options)) head.delay_seed = options.delay_seed;
  head.caches = name_of(options.caches);
  head.block_bytes = subject.block_bytes;
  head.period_ns = exact_period_ns(subject.tables->motion);
  head.period_error_ns = subject.period_error_ns;
  head.block_transfer_ns = subject.block_transfer_ns;
  head.phase_ns = 0;
  for (const model::StandIn& one : subject.stand_ins)
    if (is_spoken_of(one)) head.stand_ins[one.path] = in_words(one);
  if (options.host_queue) head.host_queue = HostQueueUse{.settings = *options.host_queue};
  return head;
}

ResultHead replay_on_model(const Subject& subject, trace::Reader& trace, const ModelReplay& options,
                           Rows& rows) {
  ResultHead head = head_of_replay(subject, trace.source(), options);
  std::optional<Delays> delays;
  if (draws_delays(subject, options))
    delays = subject.with_delays->delays.of_seed(options.delay_seed);
  ModelPlayer player(engine_for(subject, options), 0, head.depth == 1, options.caches,
                     OutsideCount(subject.tables->validity, true), delays);
  const Nanoseconds start_ns = play_references(
      player, reference_lbns(subject.tables->blocks(), options.reference_reads), rows);
  player.begin_trace();
  Schedule schedule{.kind = head.kind,
                    .depth = head.depth,
                    .start_ns = start_ns,
                    .blocks = subject.tables->blocks()};
  if (options.host_queue) {
    HostQueue host(
        player,
        {.blocks = schedule.blocks, .block_bytes = subject.block_bytes, .depth = head.depth},
        *options.host_queue, head.kind);
    schedule.depth = outstanding_in_front(*options.host_queue, head);
    play(host, trace, schedule, Part::trace, rows);
    head.host_queue = host.use();
  } else {
    play(player, trace, schedule, Part::trace, rows);
  }
  head.outside_validity = player.outside().all();
  if (head.outside_validity > 0) head.outside = player.outside().by();
  return head;
}

ResultHead replay_in_drives_time(const Subject& subject, trace::Reader& trace,
                                 const OpenResult& drive, const ModelReplay& options, Rows& rows) {
  const trace::Source source = trace.source();
  const std::vector<Response> reference = require_same_requests(trace, drive);
  trace::Trace reads;
  for (const Response& row : reference) reads.requests.push_back(as_issued(row));
  Result drives_head;
  static_cast<ResultHead&>(drives_head) = drive()->head();
  ModelReplay how = options;
  how.like = &drives_head;
  ResultHead head = head_of_replay(subject, source, how);
  const Schedule schedule{.depth = kAnyDepth, .blocks = subject.tables->blocks()};
  const auto player_at = [&](double phase_ns) {
    return ModelPlayer(engine_for(subject, how), static_cast<Nanoseconds>(std::llround(phase_ns)),
                       false, how.caches,
                       OutsideCount(subject.tables->validity,
                                    drives_head.depth > subject.tables->validity.max_depth));
  };
  // Every request when the drive got it; what the model has not finished by then waits in its
  // queue.
  const auto give_references = [&](Player& player, Rows& into) {
    play(player, *trace::reader_of(reads), schedule, Part::reference, into);
  };
  const auto give_trace = [&](Player& player, Rows& into) {
    DrivesTrace requests(drive);
    play(player, requests, schedule, Part::trace, into);
  };

  PhaseDifferences differences(
      drive, reference, HitRule::of_period(*head.period_ns, head.block_transfer_ns.value_or(0)));
  ModelPlayer first = player_at(0);
  give_references(first, differences);
  try {
    if (differences.empty()) give_trace(first, differences);
  } catch (const PhaseDifferences::Enough&) {
  }
  head.phase_ns = differences.phase_ns(*head.period_ns);
  ModelPlayer player = player_at(*head.phase_ns);
  give_references(player, rows);
  player.begin_trace();
  give_trace(player, rows);
  head.outside_validity = player.outside().all();
  if (head.outside_validity > 0) head.outside = player.outside().by();
  return head;
}

Result replay_on_model(const Subject& subject, const trace::Trace& trace,
                       const ModelReplay& options) {
  trace::require_within(trace, subject.tables->blocks());
  Result result;
  IntoResult rows(result);
  const std::unique_ptr<trace::Reader> reader = trace::reader_of(trace);
  const ResultHead head = options.like
                              ? replay_in_drives_time(subject, *reader,
                                                      result_source(*options.like), options, rows)
                              : replay_on_model(subject, *reader, options, rows);
  static_cast<ResultHead&>(result) = head;
  return result;
}

}  // namespace platter::replay

#include "replay/model_run.h"

#include <algorithm>
#include <utility>

#include "replay/compare.h"
#include "replay/result_source.h"
#include "trace/think_times.h"

namespace platter::replay {

namespace {

constexpr std::size_t kLookedAt = 10'000;
constexpr std::size_t kFewest = 100;  // accesses that went to the media on both sides

// What has been read of a trace, and then the rest of it.
class Resumed final : public trace::Reader {
 public:
  Resumed(std::vector<trace::Request> begin, trace::Source source,
          std::unique_ptr<trace::Reader> rest)
      : begin_(std::move(begin)), source_(std::move(source)), rest_(std::move(rest)) {}

  const trace::Source& source() const override { return source_; }
  std::vector<trace::Skipped> skipped() const override { return rest_->skipped(); }
  std::size_t read(std::span<trace::Request> out) override {
    if (given_ == begin_.size()) return rest_->read(out);
    const std::size_t count = std::min(out.size(), begin_.size() - given_);
    std::copy_n(begin_.begin() + static_cast<std::ptrdiff_t>(given_), count, out.begin());
    given_ += count;
    return count;
  }

 private:
  std::vector<trace::Request> begin_;
  trace::Source source_;
  std::unique_ptr<trace::Reader> rest_;
  std::size_t given_ = 0;
};

std::vector<trace::Request> beginning_of(trace::Reader& trace) {
  std::vector<trace::Request> begin(kLookedAt);
  std::size_t count = 0;
  while (const std::size_t more = trace.read(std::span(begin).subspan(count))) count += more;
  begin.resize(count);
  return begin;
}

// Share of the accesses that are in step; 0 where they are too few to tell.
double share_in_step(const Subject& subject, const trace::Trace& trace) {
  const Result drive = result_of_trace(trace);
  const Result model = replay_on_model(subject, trace, {.reference_reads = 0, .like = &drive});
  const ClassMetrics metrics = compare(drive, model).classes.at(0);
  return metrics.phase_n < kFewest ? 0 : metrics.folded_phase_share_reanchored.value_or(0);
}

}  // namespace

PlacedThinkTimes place_think_times(const Subject& subject, std::unique_ptr<trace::Reader> trace) {
  PlacedThinkTimes told;
  const trace::Source source = trace->source();
  if (source.kind == trace::Kind::open) {
    told.trace = std::move(trace);
    return told;
  }
  const trace::Trace begin{
      .kind = source.kind, .name = source.name, .requests = beginning_of(*trace)};
  const bool all_measured = std::ranges::all_of(begin.requests, [&](const trace::Request& request) {
    return request.service_ns && request.lbn + request.blocks <= subject.blocks;
  });
  if (all_measured && begin.requests.size() >= kFewest) {
    told.share_behind = share_in_step(subject, begin);
    told.share_in_front = share_in_step(
        subject, trace::read_trace(*trace::think_times_in_front(trace::reader_of(begin))));
    told.think_in_front = told.share_in_front > 0.5 && told.share_behind < told.share_in_front / 2;
  }
  told.trace = std::make_unique<Resumed>(begin.requests, source, std::move(trace));
  if (told.think_in_front) told.trace = trace::think_times_in_front(std::move(told.trace));
  return told;
}

ResultSink::ResultSink(const std::string& output, const ResultHead& head)
    : file_(output.empty() ? nullptr : create_result(output, head)) {}

ResultSink::~ResultSink() = default;

void ResultSink::add(Part part, std::span<const Response> rows) {
  if (file_) file_->add(part, rows);
  summarizer_.add(part, rows);
}

Summary ResultSink::finish(ResultHead& head) {
  const Summary summary = summarizer_.summary();
  head.lateness = summary.lateness;
  if (file_) file_->finish(head);
  return summary;
}

ModelRan run_on_model(const Subject& subject, const OpenTrace& open, const ModelRun& run) {
  ModelRan ran;
  trace::Fitted fitted = trace::fitted(open, run.fit, subject.blocks);
  std::unique_ptr<trace::Reader> trace = std::move(fitted.reader);
  bool think_in_front = trace->source().kind == trace::Kind::closed && run.think_in_front;
  if (run.place_think_times) {
    PlacedThinkTimes placed = place_think_times(subject, std::move(trace));
    trace = std::move(placed.trace);
    think_in_front = ran.placed_in_front = placed.think_in_front;
    ran.share_in_front = placed.share_in_front;
    ran.share_behind = placed.share_behind;
  }
  trace = shaped(std::move(trace), run.shape);

  ModelReplay how = run.how;
  double speed = run.shape.speed;
  const auto play_into = [&](const auto& replay) {
    ResultSink sink(run.output, head_of_replay(subject, trace->source(), how));
    ran.head = replay(sink);
    ran.head.think_in_front = think_in_front;
    ran.head.speed = speed;
    ran.head.fit = fitted.text;
    ran.summary = sink.finish(ran.head);
    if (!run.shares.empty()) ran.quantiles_ms = sink.summarizer().quantiles_ms(run.shares);
  };
  if (run.phase_from.empty()) {
    play_into([&](Rows& rows) { return replay_on_model(subject, *trace, how, rows); });
  } else {
    const OpenResult drive = result_source(run.phase_from, think_in_front);
    Result like;
    static_cast<ResultHead&>(like) = drive()->head();
    how.like = &like;
    speed = like.speed;
    play_into([&](Rows& rows) { return replay_in_drives_time(subject, *trace, drive, how, rows); });
  }
  ran.skipped = trace->skipped();
  return ran;
}

}  // namespace platter::replay

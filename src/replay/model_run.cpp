#include "replay/model_run.h"

#include <utility>

#include "replay/result_source.h"
#include "replay/think_time_place.h"

namespace platter::replay {

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

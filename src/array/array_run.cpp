#include "array/array_run.h"

#include <memory>
#include <utility>

#include "replay/shaped.h"
#include "trace/fit.h"

namespace platter::array {

PlannedArray planned(const ArrayPlan& plan, std::vector<replay::Subject> members) {
  PlannedArray array{.plan = plan, .members = std::move(members)};
  array.setup = setup_of(array.plan, array.members);
  array.subject = subject_of(array.setup, array.members);
  return array;
}

replay::ModelRan run_on_array(const PlannedArray& array, const replay::OpenTrace& open,
                              const replay::ModelRun& run) {
  replay::ModelRan ran;
  trace::Fitted fitted = trace::fitted(open, run.fit, array.subject.blocks);
  const std::unique_ptr<trace::Reader> trace = replay::shaped(std::move(fitted.reader), run.shape);
  replay::ResultSink sink(
      run.output, head_of_replay(array.plan, array.setup, array.members, trace->source(), run.how));
  ran.head = replay_on_array(array.plan, array.members, *trace, run.how, sink);
  ran.head.think_in_front = trace->source().kind == trace::Kind::closed && run.think_in_front;
  ran.head.speed = run.shape.speed;
  ran.head.fit = fitted.text;
  ran.summary = sink.finish(ran.head);
  if (!run.shares.empty()) ran.quantiles_ms = sink.summarizer().quantiles_ms(run.shares);
  ran.skipped = trace->skipped();
  return ran;
}

}  // namespace platter::array

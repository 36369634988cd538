#include "cli/study_arrays.h"

#include <memory>
#include <utility>

#include "array/replay_array.h"
#include "cli/array_options.h"
#include "model/error.h"
#include "replay/model_run.h"
#include "replay/shaped.h"
#include "trace/fit.h"

namespace platter::cli {
namespace {

array::ArrayPlan plan_of(const study::ModelSpec& spec) {
  ArrayOptions options;
  options.level = spec.array;
  const auto take = [&](const char* name, auto& value) {
    if (spec.plan.contains(name)) spec.plan.at(name).get_to(value);
  };
  const auto take_member = [&](const char* name, std::optional<std::uint32_t>& value) {
    if (spec.plan.contains(name)) value = spec.plan.at(name).get<std::uint32_t>();
  };
  take("stripe_kb", options.stripe_kib);
  take("read_balance", options.balance);
  take("stripe_cache", options.stripes);
  take_member("missing", options.missing);
  take_member("rebuild", options.rebuild);
  take("rebuild_window_kb", options.window_kib);
  take("rebuild_least_kb", options.least_kib_per_s);
  take("rebuild_most_kb", options.most_kib_per_s);
  take("rebuild_tick_ms", options.tick_ms);
  take("merge_kb", options.merge_kib);
  take("phase_seed", options.phase_seed);
  return options.plan();
}

struct Array {
  array::ArrayPlan plan;
  std::vector<replay::Subject> members;
  array::ArraySetup setup;
  replay::Subject subject;

  replay::ModelRan ran(const replay::OpenTrace& open, const replay::ModelRun& run) const {
    if (run.how.host_queue)
      throw Error(ExitStatus::bad_input,
                  "--host-queue stands in front of one model, not of an array; leave one of them "
                  "out");
    replay::ModelRan ran;
    trace::Fitted fitted = trace::fitted(open, run.fit, subject.blocks);
    const bool think_in_front = fitted.reader->source().kind == trace::Kind::closed &&
                                run.think_in_front;
    const std::unique_ptr<trace::Reader> trace = replay::shaped(std::move(fitted.reader),
                                                                run.shape);
    replay::ResultSink sink(run.output,
                            array::head_of_replay(plan, setup, members, trace->source(), run.how));
    ran.head = array::replay_on_array(plan, members, *trace, run.how, sink);
    ran.head.think_in_front = think_in_front;
    ran.head.speed = run.shape.speed;
    ran.head.fit = fitted.text;
    ran.summary = sink.finish(ran.head);
    ran.quantiles_ms = sink.summarizer().quantiles_ms(run.shares);
    ran.skipped = trace->skipped();
    return ran;
  }
};

}  // namespace

study::ReplayedOn array_of(const study::ModelSpec& spec, std::vector<replay::Subject> members) {
  const auto array = std::make_shared<Array>();
  array->plan = plan_of(spec);
  array->members = std::move(members);
  array->setup = array::setup_of(array->plan, array->members);
  array->subject = array::subject_of(array->setup, array->members);
  return {array->subject, [array](const replay::OpenTrace& open, const replay::ModelRun& run) {
            return array->ran(open, run);
          }};
}

}  // namespace platter::cli

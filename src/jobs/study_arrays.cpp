#include "jobs/study_arrays.h"

#include <memory>
#include <utility>

#include "array/array_run.h"
#include "jobs/array_options.h"
#include "model/error.h"

namespace platter::jobs {
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

}  // namespace

study::ReplayedOn array_of(const study::ModelSpec& spec, std::vector<replay::Subject> members) {
  const auto array = std::make_shared<const array::PlannedArray>(
      array::planned(plan_of(spec), std::move(members)));
  return {array->subject, [array](const replay::OpenTrace& open, const replay::ModelRun& run) {
            if (run.how.host_queue)
              throw Error(ExitStatus::bad_input,
                          "--host-queue stands in front of one model, not of an array; leave one "
                          "of them out");
            return array::run_on_array(*array, open, run);
          }};
}

}  // namespace platter::jobs

#include "jobs/trace_generate.h"

#include <variant>

#include "engine/layout_map.h"
#include "jobs/lbn_ranges.h"
#include "model/json.h"
#include "replay/tracks.h"
#include "trace/profile_list.h"
#include "trace/stream.h"
#include "trace/workload.h"

namespace platter::jobs {
namespace {

trace::Workload workload_of(const GenerateRun& options) {
  trace::Workload workload{
      .profile = trace::adjusted(trace::profile(options.workload), options.adjustment),
      .blocks = options.blocks,
      .block_bytes = options.block_bytes,
      .requests = options.requests,
      .seed = options.seed,
      .reads_only = options.reads_only,
      .within = lbn_ranges(options.within),
      .writes = lbn_ranges(options.writes)};
  if (!options.model.empty()) {
    const model::DriveModel model = model::load_model(options.model);
    workload.blocks = model.identity.blocks;
    workload.block_bytes = model.identity.block_bytes;
    if (std::holds_alternative<trace::OnTracks>(workload.profile.place))
      workload.track_of = replay::tracks_of(engine::LayoutMap(model.layout));
  }
  return workload;
}

}  // namespace

void generate_trace(const GenerateRun& run) {
  const trace::Workload workload = workload_of(run);
  trace::require_trace_name(run.output, trace::format_of(run.format));
  run.outputs.writes(run.output);
  trace::save(workload, run.output, trace::format_of(run.format));
}

}  // namespace platter::jobs

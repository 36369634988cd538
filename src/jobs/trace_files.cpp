#include "jobs/trace_files.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <variant>

#include "engine/layout_map.h"
#include "jobs/numbers.h"
#include "model/error.h"
#include "model/json.h"
#include "model/say.h"
#include "replay/tracks.h"
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

std::unique_ptr<trace::Writer> writer_of(const ConvertRun& options, const std::string& path) {
  return trace::create_trace(path, trace::format_of(options.to),
                             {.block_bytes = options.trace.block_bytes});
}

// "traces/web.csv.zst" of the device sda: "traces/web.sda.csv.zst".
std::string path_of_device(const std::string& path, std::string device) {
  std::ranges::replace(device, ':', '-');
  const std::size_t name = path.rfind('/') + 1;  // npos + 1: 0
  const std::size_t dot = std::min(path.find('.', name + 1), path.size());
  return path.substr(0, dot) + "." + device + path.substr(dot);
}

// A collection has thousands of volumes, and each is a file that stays open until the end.
void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// All devices' requests, each to a file of its own, in the time of the whole trace.
void split(trace::Reader& reader, const ConvertRun& options) {
  allow_many_files();
  std::map<std::uint32_t, std::unique_ptr<trace::Writer>> writers;
  std::array<trace::Request, 1024> batch;
  while (const std::size_t count = reader.read(batch))
    for (std::size_t i = 0; i < count; ++i) {
      std::unique_ptr<trace::Writer>& writer = writers[batch[i].device];
      if (!writer) {
        const std::string path = path_of_device(options.output,
                                                reader.device_text(batch[i].device));
        options.outputs.writes(path);
        writer = writer_of(options, path);
        if (writer->kind() != reader.source().kind)
          throw Error(ExitStatus::usage,
                      "--split-by device writes formats with arrival times; choose another --to");
      }
      writer->write({&batch[i], 1});
    }
  for (const auto& [device, writer] : writers) writer->finish();
  model::say("platter: {} devices, a file for each\n", writers.size());
}

}  // namespace

void generate_trace(const GenerateRun& run) {
  const trace::Workload workload = workload_of(run);
  trace::require_trace_name(run.output, trace::format_of(run.format));
  run.outputs.writes(run.output);
  trace::save(workload, run.output, trace::format_of(run.format));
}

void convert_trace(const ConvertRun& options) {
  trace::require_trace_name(options.output, trace::format_of(options.to));
  options.outputs.reads(options.trace.path);
  if (!options.split) {
    options.outputs.writes(options.output);
    const trace::Fitted fitted = fitted_trace(options.trace, options.trace.block_bytes, options.fit,
                                              options.blocks.value_or(0));
    const std::unique_ptr<trace::Writer> writer = writer_of(options, options.output);
    trace::copy(*fitted.reader, *writer);
    writer->finish();
    print_skipped(*fitted.reader);
    if (!fitted.text.empty()) model::say("platter: made to fit, {}\n", fitted.text);
    return;
  }
  if (options.output == "-")
    throw Error(ExitStatus::usage,
                "--split-by device writes a file for each, which the standard output is not; name "
                "one with -o NAME.ENDING");
  trace::Reading reading = options.trace.reading();
  reading.all_devices = true;
  const std::unique_ptr<trace::Reader> reader = trace::open_trace(options.trace.path, reading);
  split(*reader, options);
  print_skipped(*reader);
}

}  // namespace platter::jobs

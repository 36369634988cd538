#include "jobs/replay.h"

#include <fmt/core.h>

#include <memory>
#include <utility>

#include "jobs/careful_replay.h"
#include "jobs/numbers.h"
#include "jobs/open_device.h"
#include "jobs/subject.h"
#include "model/error.h"
#include "model/file.h"
#include "model/say.h"
#include "replay/model_run.h"
#include "replay/replay_drive.h"

namespace platter::jobs {
namespace {

Replayed on_model(const ReplayRun& options) {
  const replay::Subject subject = load_subject(options.target).subject;
  if (!options.output.empty()) options.outputs.writes(options.output);
  replay::ModelRun run{.fit = options.fit,
                       .shape = options.shape,
                       .place_think_times = options.trace.think_times.empty(),
                       .think_in_front = options.trace.reading().think_in_front,
                       .how = {.caches = options.caches,
                               .depth = options.depth,
                               .reference_reads = options.reference_reads,
                               .delay_seed = options.delay_seed},
                       .phase_from = options.phase_from,
                       .output = options.output};
  run.how.queue = options.queue;
  if (options.host_queue) run.how.host_queue = replay::host_queue_of(*options.host_queue);
  require_read_again(options.trace, options.fit);
  const replay::ModelRan ran = replay::run_on_model(
      subject, [&] { return options.trace.open(subject.block_bytes); }, run);
  if (ran.placed_in_front)
    model::say(
        "platter: {}: think times are taken as those before their requests, for so {:.0f} % "
        "of the accesses keep step with the model's platter, otherwise {:.0f} % "
        "(--think-times behind: as DiskSim)\n",
        options.trace.path, 100 * ran.share_in_front, 100 * ran.share_behind);
  print_skipped(ran.head.trace, ran.skipped);
  return {ran.head, ran.summary};
}

Replayed on_array(const ReplayRun& options) {
  std::vector<replay::Subject> members;
  for (const std::string& model : options.members) members.push_back(load_subject(model).subject);
  const array::PlannedArray array = array::planned(options.array.plan(), std::move(members));
  if (!options.output.empty()) options.outputs.writes(options.output);
  replay::ModelRun run{.fit = options.fit,
                       .shape = options.shape,
                       .think_in_front = options.trace.reading().think_in_front,
                       .how = {.caches = options.caches, .depth = options.depth},
                       .output = options.output};
  run.how.queue = options.queue;
  require_read_again(options.trace, options.fit);
  const replay::ModelRan ran = array::run_on_array(
      array, [&] { return options.trace.open(array.subject.block_bytes); }, run);
  print_skipped(ran.head.trace, ran.skipped);
  return {ran.head, ran.summary};
}

Replayed on_device(const ReplayRun& options, Progress& progress) {
  const bool changes = !options.writes.empty() || options.caches == replay::Caches::off;
  const std::unique_ptr<scsi::Device> device = open_device(
      options.target, {.changes = changes, .not_in_use = options.not_in_use});
  const model::Identity drive = replay::identity_of(*device);
  if (!options.output.empty()) options.outputs.writes(options.output, result_of(drive));
  trace::Fitted fitted = fitted_trace(options.trace, drive.block_bytes, options.fit, drive.blocks);
  const std::unique_ptr<trace::Reader> reader = replay::shaped(std::move(fitted.reader),
                                                               options.shape);
  const trace::Trace trace = trace::read_trace(*reader);
  print_skipped(*reader);
  CarefulReplay careful(*device, options.target, progress);
  const HostKeptQuiet quiet(options.quiet, options.target);
  replay::DriveReplay how = careful.options("replay");
  how.caches = options.caches;
  how.depth = options.depth;
  how.reference_reads = options.reference_reads;
  how.names_short_requests = true;
  replay::Result result;
  const scsi::Permission permission{.settings = changes,
                                    .writes = writable_ranges(options.writes, drive.blocks)};
  careful.run([&] { result = replay::replay_on_drive(*device, permission, trace, how); });
  result.speed = options.shape.speed;
  result.fit = fitted.text;
  replay::ResultSink sink(options.output, result);
  sink.add(replay::Part::reference, result.reference);
  sink.add(replay::Part::trace, result.requests);
  const replay::Summary summary = sink.finish(result);
  return {result, summary, careful.journal_stays()};
}

}  // namespace

array::ArrayPlan ArrayOptions::plan() const {
  return {.level = *array::level_of(level),
          .chunk_bytes = stripe_kib * 1024,
          .balance = *array::balance_of(balance),
          .stripes = stripes,
          .missing = missing,
          .rebuild = rebuild,
          .rate = {.window_bytes = window_kib * 1024,
                   .least_bytes_per_s = least_kib_per_s * 1024,
                   .tick_ns = static_cast<Nanoseconds>(tick_ms * 1e6),
                   .most_bytes_per_s = most_kib_per_s * 1024},
          .merge_bytes = merge_kib * 1024,
          .device_queue = device_queue,
          .phase_seed = phase_seed};
}

void require_all_well(const Replayed& replayed) {
  const replay::ResultHead& head = replayed.head;
  if (head.came_short)
    throw Error(ExitStatus::drive_error,
                fmt::format("{} answered {} of the requests with GOOD and a part of their blocks: "
                            "their times are not those of the whole requests; shorten them in the "
                            "trace, or connect the drive another way",
                            head.name, head.came_short->count));
  require_journal_gone(replayed.journal_stays);
}

Replayed replay_trace(const ReplayRun& options, Progress& progress) {
  for (const std::string& input : {options.trace.path, options.phase_from})
    options.outputs.reads(input);
  for (const std::string& input : options.members) options.outputs.reads(input);
  if (!options.output.empty()) replay::require_result_name(options.output);
  if (!options.output.empty()) model::require_writable(options.output);
  if (options.array.wanted()) return on_array(options);
  return names_device(options.target) ? on_device(options, progress) : on_model(options);
}

}  // namespace platter::jobs

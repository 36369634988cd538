#include <fmt/core.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "array/array_run.h"
#include "cli/array_options.h"
#include "cli/careful_replay.h"
#include "cli/lbn_ranges.h"
#include "cli/numbers.h"
#include "cli/open_device.h"
#include "cli/output_names.h"
#include "cli/outputs.h"
#include "cli/quiet_host.h"
#include "cli/scheduler_name.h"
#include "cli/subcommands.h"
#include "cli/subject.h"
#include "cli/trace_options.h"
#include "model/error.h"
#include "model/file.h"
#include "model/say.h"
#include "replay/model_run.h"
#include "replay/prefetch_use.h"
#include "replay/replay_drive.h"

namespace platter::cli {
namespace {

const std::map<std::string, replay::Caches> kCaches = {{"default", replay::Caches::as_they_are},
                                                       {"off", replay::Caches::off},
                                                       {"forced", replay::Caches::forced}};

// More set no phase better, and take a tenth of a second each.
constexpr double kMostReferenceReads = 1000;

struct ReplayOptions {
  TraceOptions trace;
  ArrayOptions array;
  std::vector<std::string> members;  // of the array; else the target alone
  std::vector<std::string> more_members;
  std::string target, output, phase_from, scheduler, caches = "default";
  std::optional<std::string> host_queue;
  double ageing = 0;
  ProgressKind progress = ProgressKind::fitting;
  std::uint32_t depth = 1, reference_reads = 16;
  std::uint64_t delay_seed = 1;
  replay::Shape shape;
  trace::Fit fit = trace::Fit::none;
  std::vector<std::string> writes, not_in_use;
  QuietHostOption quiet;
  bool json = false;
  Outputs outputs;
};

// What a replay leaves: its file, if one was asked for, is written; its figures are here.
struct Replayed {
  replay::ResultHead head;
  replay::Summary summary;
  std::optional<std::string> journal_stays{};  // of a drive
};

// nullopt: the model's own.
std::optional<engine::QueueSettings> queue_of(const ReplayOptions& options) {
  if (options.scheduler.empty()) return std::nullopt;
  return engine::QueueSettings{*replay::scheduler_of(options.scheduler), 0, options.ageing};
}

Replayed on_model(const ReplayOptions& options) {
  const replay::Subject subject = load_subject(options.target).subject;
  if (!options.output.empty()) options.outputs.writes(options.output);
  replay::ModelRun run{.fit = options.fit,
                       .shape = options.shape,
                       .place_think_times = options.trace.think_times.empty(),
                       .think_in_front = options.trace.reading().think_in_front,
                       .how = {.caches = kCaches.at(options.caches),
                               .depth = options.depth,
                               .reference_reads = options.reference_reads,
                               .delay_seed = options.delay_seed},
                       .phase_from = options.phase_from,
                       .output = options.output};
  run.how.queue = queue_of(options);
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

Replayed on_array(const ReplayOptions& options) {
  std::vector<replay::Subject> members;
  for (const std::string& model : options.members) members.push_back(load_subject(model).subject);
  const array::PlannedArray array = array::planned(options.array.plan(), std::move(members));
  if (!options.output.empty()) options.outputs.writes(options.output);
  replay::ModelRun run{.fit = options.fit,
                       .shape = options.shape,
                       .think_in_front = options.trace.reading().think_in_front,
                       .how = {.caches = kCaches.at(options.caches), .depth = options.depth},
                       .output = options.output};
  run.how.queue = queue_of(options);
  require_read_again(options.trace, options.fit);
  const replay::ModelRan ran = array::run_on_array(
      array, [&] { return options.trace.open(array.subject.block_bytes); }, run);
  print_skipped(ran.head.trace, ran.skipped);
  return {ran.head, ran.summary};
}

Replayed on_device(const ReplayOptions& options) {
  const bool changes = !options.writes.empty() || kCaches.at(options.caches) == replay::Caches::off;
  const std::unique_ptr<scsi::Device> device = open_device(
      options.target, {.changes = changes, .not_in_use = options.not_in_use});
  const model::Identity drive = replay::identity_of(*device);
  if (!options.output.empty()) options.outputs.writes(options.output, result_of(drive));
  trace::Fitted fitted = fitted_trace(options.trace, drive.block_bytes, options.fit, drive.blocks);
  const std::unique_ptr<trace::Reader> reader = replay::shaped(std::move(fitted.reader),
                                                               options.shape);
  const trace::Trace trace = trace::read_trace(*reader);
  print_skipped(*reader);
  CarefulReplay careful(*device, options.target, options.progress);
  const HostKeptQuiet quiet(options.quiet, options.target);
  replay::DriveReplay how = careful.options("replay");
  how.caches = kCaches.at(options.caches);
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

// After all that was found is told.
void require_whole_requests(const replay::ResultHead& head) {
  if (!head.came_short) return;
  throw Error(ExitStatus::drive_error,
              fmt::format("{} answered {} of the requests with GOOD and a part of their blocks: "
                          "their times are not those of the whole requests; shorten them in the "
                          "trace, or connect the drive another way",
                          head.name, head.came_short->count));
}

void print(const Replayed& replayed, const ReplayOptions& options) {
  const replay::ResultHead& head = replayed.head;
  print_beside(options.output, options.json ? replay::summary_json(head, replayed.summary)
                                            : replay::summary_text(head, replayed.summary));
  if (head.asked_depth)
    model::say("platter: {} takes at most {} at once, not {}; the replay had no more outstanding\n",
               head.name, head.depth, head.asked_depth);
  if (head.host_queue)
    if (const std::string why = replay::why_prefetching_did_nothing(*head.host_queue); !why.empty())
      model::say("platter: {}\n", why);
  if (replay::is_late(replayed.summary))
    model::say(
        "platter: the host issued 1 % of the requests more than {:.3f} ms late, more than {:.0f} % "
        "of the mean response; replay on an idle machine\n",
        replayed.summary.lateness.host.p99_ms, 100 * replay::kLateShare);
  require_whole_requests(head);
  require_journal_gone(replayed.journal_stays);
}

struct WithoutEffect {
  const char* option;
  const char* why;
};
constexpr WithoutEffect kOnDevices[] = {
    {"--scheduler", "sets a model's queue; a drive orders its requests as it does"},
    {"--phase-from", "sets a model's phase; a drive's platter stands where it stands"},
    {"--delay-seed", "draws a model's delays of its host; a drive has this host's"},
    {"--host-queue", "is a host in front of a model; a drive has this one"}};
constexpr WithoutEffect kOnModels[] = {
    {"--allow-writes", "permits writes to a drive; those to a model change nothing, leave it out"},
    {"--not-in-use", "is about drives; nothing else uses a model, leave it out"},
    {"--quiet-host", "is for the times of drives; a model keeps a time of its own, leave it out"}};

constexpr WithoutEffect kOnArrays[] = {
    {"--host-queue", "stands in front of one model, not of an array; leave one of them out"},
    {"--phase-from", "sets one model's phase; of an array say --phase-seed"},
    {"--delay-seed", "draws one model's delays; an array's members have the median, leave it out"},
    {"--reference-reads", "sets one model's phase; of an array say --phase-seed"}};

void refuse_given(const CLI::App& command, std::span<const WithoutEffect> refused) {
  for (const auto& [option, why] : refused)
    if (command.count(option) > 0)
      throw Error(ExitStatus::usage, fmt::format("{} {}", option, why));
}

struct OfLevels {
  const char* option;
  const char* levels;
};
constexpr OfLevels kOfLevels[] = {
    {"--stripe", "raid0 and raid5"}, {"--read-balance", "raid1"}, {"--stripe-cache", "raid5"}};
constexpr const char* kOfRebuilds[] = {"--rebuild-window", "--rebuild-least", "--rebuild-most",
                                       "--rebuild-tick"};

void refuse_what_this_array_lacks(const CLI::App& command, const ArrayOptions& array) {
  for (const auto& [option, levels] : kOfLevels)
    if (command.count(option) > 0 &&
        std::string_view(levels).find(array.level) == std::string::npos)
      throw Error(ExitStatus::usage,
                  fmt::format("{} is of {}; leave it out of {}", option, levels, array.level));
  for (const char* const option : kOfRebuilds)
    if (command.count(option) > 0 && !array.rebuild)
      throw Error(ExitStatus::usage,
                  fmt::format("{} paces a rebuild; name the member with --rebuild", option));
}

// One target, or several models of an array.
void require_targets(const ReplayOptions& options) {
  if (options.members.empty())
    throw Error(ExitStatus::usage,
                "nothing says what the trace is replayed on; name a device or a model with --on");
  if (!options.array.wanted() && options.members.size() > 1)
    throw Error(ExitStatus::usage,
                fmt::format("{} targets are named, which only an array has; name one with --on, or "
                            "say --array raid0, raid1 or raid5",
                            options.members.size()));
  for (const std::string& member : options.members)
    if (options.array.wanted() && names_device(member))
      throw Error(ExitStatus::usage,
                  fmt::format("--array is made of models, and {} is a device; name model files, "
                              "tables or DiskSim files",
                              member));
}

void refuse_what_has_no_effect(const CLI::App& command, const ReplayOptions& options) {
  if (options.array.wanted()) {
    refuse_given(command, kOnArrays);
    refuse_what_this_array_lacks(command, options.array);
  }
  if (names_device(options.target))
    refuse_given(command, kOnDevices);
  else
    refuse_given(command, kOnModels);
  if (options.depth > 1 && command.count("--delay-seed") > 0)
    throw Error(ExitStatus::usage,
                "--delay-seed draws a model's delays at --depth 1 only; leave out one of them");
}

void replay_trace(const ReplayOptions& options) {
  for (const std::string& input : {options.trace.path, options.phase_from})
    options.outputs.reads(input);
  for (const std::string& input : options.members) options.outputs.reads(input);
  if (!options.output.empty()) replay::require_result_name(options.output);
  if (!options.output.empty()) model::require_writable(options.output);
  if (options.array.wanted()) return print(on_array(options), options);
  print(names_device(options.target) ? on_device(options) : on_model(options), options);
}

}  // namespace

void add_replay(CLI::App& app) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* command = app.add_subcommand("replay", "a trace on a drive, a model or a table");
  add_trace_options(*command, options->trace);
  add_fit_option(*command, options->fit);
  command
      ->add_option("--on", options->members,
                   "a device, a model file, a table (.ptab) or DiskSim files (.parv); with --array "
                   "once for each member")
      ->allow_extra_args(false);
  command->add_option("MODEL", options->more_members, "with --array: more members");
  add_array_options(*command, options->array);
  command->add_option("-o,--output", options->output,
                      "the result file to write: CSV, compressed if it ends in .gz or .zst (else: "
                      "only the summary)");
  command
      ->add_option(
          "--caches", options->caches,
          "default: as they are; off: for the replay; forced: bypassed, all commands with FUA")
      ->check(CLI::IsMember(kCaches))
      ->capture_default_str();
  CLI::Option* depth = command
                           ->add_option(
                               "--depth", options->depth,
                               "most requests outstanding; of a closed trace: so many loops")
                           ->transform(at_least(1))
                           ->capture_default_str();
  CLI::Option* speed = command
                           ->add_option(
                               "--speed", options->shape.speed,
                               "so many times as fast: arrival and think times are divided by it")
                           ->transform(between(1e-6, 1e6))
                           ->capture_default_str();
  command->add_option("--limit", options->shape.limit, "only the first so many requests")
      ->transform(at_least(1));
  CLI::Option* chosen =
      command
          ->add_option("--scheduler", options->scheduler,
                       "model: which of the outstanding requests is next (else: as the model says)")
          ->check(scheduler_name());
  command
      ->add_option("--ageing", options->ageing,
                   "model, sptf: each ms of waiting counts as so many ms less of positioning")
      ->needs(chosen)
      ->transform(between(0, 1000));
  command
      ->add_option("--delay-seed", options->delay_seed,
                   "model that knows its host's delays, at depth 1: seed of their draws; 0: always "
                   "the median")
      ->transform(seed_number())
      ->capture_default_str();
  command
      ->add_option("--reference-reads", options->reference_reads,
                   "reads from the media before the trace, to set a model's phase by")
      ->transform(between(0, kMostReferenceReads))
      ->capture_default_str();
  CLI::Option* phase_from =
      command
          ->add_option("--phase-from", options->phase_from,
                       "model: issue every request when this result's drive got it, the platter's "
                       "phase set once from its reference reads")
          ->excludes(depth)
          ->excludes(speed);
  command
      ->add_option("--host-queue", options->host_queue,
                   "model: a host's queue in front of it, default or NAME=N,... of requests, "
                   "merge-kb, plug-ms,"
                   " prefetch-kb and loops (docs/metrics.md); --depth is then how many "
                   "commands the drive has at once")
      ->excludes(phase_from);
  command->add_option(
      "--allow-writes", options->writes,
      "device: LBN ranges FIRST-LAST, or all, that may be rewritten with what they hold");
  add_not_in_use_option(*command, options->not_in_use);
  options->outputs.add_force(*command);
  add_quiet_host_option(*command, options->quiet);
  add_progress_option(*command, options->progress);
  command->add_flag("--json", options->json, "the summary for programs");
  command->callback([options, command] {
    options->members.insert(options->members.end(), options->more_members.begin(),
                            options->more_members.end());
    require_targets(*options);
    options->target = options->members.front();
    refuse_what_has_no_effect(*command, *options);
    replay_trace(*options);
  });
}

}  // namespace platter::cli

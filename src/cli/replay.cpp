#include "jobs/replay.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <span>
#include <string_view>

#include "cli/numbers.h"
#include "cli/subcommands.h"
#include "cli/trace_options.h"
#include "jobs/open_device.h"
#include "model/error.h"
#include "model/say.h"
#include "replay/host_queue_settings.h"

namespace platter::cli {
namespace {

// The options of `replay` that make an array of models.
constexpr double kMostKib = 1 << 30;
constexpr double kMostMembers = 1024;

// --array, and what needs it: --stripe, --read-balance, --stripe-cache, --missing, --rebuild,
// --rebuild-window, --rebuild-least, --rebuild-most, --rebuild-tick, --merge, --device-queue,
// --phase-seed.
void add_array_options(CLI::App& command, jobs::ArrayOptions& options) {
  CLI::Option* level = command
                           .add_option(
                               "--array", options.level,
                               "an array of the models, laid out and served as Linux md does")
                           ->check(CLI::IsMember({"raid0", "raid1", "raid5"}));
  const auto add = [&](const char* name, auto& value, const char* text) {
    return command.add_option(name, value, text)->needs(level);
  };
  add("--stripe", options.stripe_kib,
      "array, raid0 and raid5: KiB of the array that lie together on one member")
      ->transform(between(1, kMostKib))
      ->capture_default_str();
  add("--read-balance", options.balance,
      "array, raid1: the member for a read that continues none and finds none idle")
      ->check(CLI::IsMember({"nearest", "least-pending"}))
      ->capture_default_str();
  add("--stripe-cache", options.stripes,
      "array, raid5: stripes that are kept, each 4 KiB of every member (md's stripe_cache_size)")
      ->transform(between(16, 32768))
      ->capture_default_str();
  add("--missing", options.missing, "array: the member, from 0, that is not there")
      ->transform(between(0, kMostMembers));
  add("--rebuild", options.rebuild,
      "array: the member, from 0, that is made again from its begin while the trace is served")
      ->transform(between(0, kMostMembers));
  add("--rebuild-window", options.window_kib,
      "array: KiB that the rebuild asks for before it looks whether to wait")
      ->transform(between(4, kMostKib))
      ->capture_default_str();
  add("--rebuild-least", options.least_kib_per_s,
      "array: KiB a second below which the rebuild never waits (md's sync_speed_min)")
      ->transform(between(0, kMostKib))
      ->capture_default_str();
  add("--rebuild-most", options.most_kib_per_s,
      "array: KiB a second above which it always waits (md's sync_speed_max)")
      ->transform(between(1, kMostKib))
      ->capture_default_str();
  add("--rebuild-tick", options.tick_ms,
      "array: ms of the kernel's ticks (1000 / HZ), in which a rebuild that lacked stripes sleeps")
      ->transform(between(0.1, 1000))
      ->capture_default_str();
  add("--merge", options.merge_kib,
      "array: KiB up to which neighbours of a member go as one command (max_sectors_kb, or a page "
      "for each of max_segments)")
      ->transform(between(4, kMostKib))
      ->capture_default_str();
  add("--device-queue", options.device_queue,
      "array: commands that the host gives a member at once (queue_depth); 0: all")
      ->transform(between(0, 65536))
      ->capture_default_str();
  add("--phase-seed", options.phase_seed,
      "array: seed of the members' rotational phases; 0: none has one")
      ->transform(whole_number())
      ->capture_default_str();
}

const std::map<std::string, replay::Caches> kCaches = {{"default", replay::Caches::as_they_are},
                                                       {"off", replay::Caches::off},
                                                       {"forced", replay::Caches::forced}};

// More set no phase better, and take a tenth of a second each.
constexpr double kMostReferenceReads = 1000;

struct ReplayOptions {
  jobs::ReplayRun run;
  std::vector<std::string> more_members;
  std::string scheduler, caches = "default";
  double ageing = 0;
  ProgressKind progress = ProgressKind::fitting;
  bool json = false;
};

void print(const jobs::Replayed& replayed, const ReplayOptions& options) {
  const replay::ResultHead& head = replayed.head;
  print_beside(options.run.output, options.json ? replay::summary_json(head, replayed.summary)
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
  jobs::require_all_well(replayed);
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

void refuse_what_this_array_lacks(const CLI::App& command, const jobs::ArrayOptions& array) {
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
  if (options.run.members.empty())
    throw Error(ExitStatus::usage,
                "nothing says what the trace is replayed on; name a device or a model with --on");
  if (!options.run.array.wanted() && options.run.members.size() > 1)
    throw Error(ExitStatus::usage,
                fmt::format("{} targets are named, which only an array has; name one with --on, or "
                            "say --array raid0, raid1 or raid5",
                            options.run.members.size()));
  for (const std::string& member : options.run.members)
    if (options.run.array.wanted() && jobs::names_device(member))
      throw Error(ExitStatus::usage,
                  fmt::format("--array is made of models, and {} is a device; name model files, "
                              "tables or DiskSim files",
                              member));
}

void refuse_what_has_no_effect(const CLI::App& command, const ReplayOptions& options) {
  if (options.run.array.wanted()) {
    refuse_given(command, kOnArrays);
    refuse_what_this_array_lacks(command, options.run.array);
  }
  if (jobs::names_device(options.run.target))
    refuse_given(command, kOnDevices);
  else
    refuse_given(command, kOnModels);
  if (options.run.depth > 1 && command.count("--delay-seed") > 0)
    throw Error(ExitStatus::usage,
                "--delay-seed draws a model's delays at --depth 1 only; leave out one of them");
}

}  // namespace

void add_replay(CLI::App& app) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* command = app.add_subcommand("replay", "a trace on a drive, a model or a table");
  add_trace_options(*command, options->run.trace);
  add_fit_option(*command, options->run.fit);
  command
      ->add_option("--on", options->run.members,
                   "a device, a model file, a table (.ptab) or DiskSim files (.parv); with --array "
                   "once for each member")
      ->allow_extra_args(false);
  command->add_option("MODEL", options->more_members, "with --array: more members");
  add_array_options(*command, options->run.array);
  command->add_option("-o,--output", options->run.output,
                      "the result file to write: CSV, compressed where it ends in .gz, .zst, .bz2, "
                      ".xz or .lz4 (else: only the summary)");
  command
      ->add_option(
          "--caches", options->caches,
          "default: as they are; off: for the replay; forced: bypassed, all commands with FUA")
      ->check(CLI::IsMember(kCaches))
      ->capture_default_str();
  CLI::Option* depth = command
                           ->add_option(
                               "--depth", options->run.depth,
                               "most requests outstanding; of a closed trace: so many loops")
                           ->transform(at_least(1))
                           ->capture_default_str();
  CLI::Option* speed = command
                           ->add_option(
                               "--speed", options->run.shape.speed,
                               "so many times as fast: arrival and think times are divided by it")
                           ->transform(between(1e-6, 1e6))
                           ->capture_default_str();
  command->add_option("--limit", options->run.shape.limit, "only the first so many requests")
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
      ->add_option("--delay-seed", options->run.delay_seed,
                   "model that knows its host's delays, at depth 1: seed of their draws; 0: always "
                   "the median")
      ->transform(whole_number())
      ->capture_default_str();
  command
      ->add_option("--reference-reads", options->run.reference_reads,
                   "reads from the media before the trace, to set a model's phase by")
      ->transform(between(0, kMostReferenceReads))
      ->capture_default_str();
  CLI::Option* phase_from =
      command
          ->add_option("--phase-from", options->run.phase_from,
                       "model: issue every request when this result's drive got it, the platter's "
                       "phase set once from its reference reads")
          ->excludes(depth)
          ->excludes(speed);
  command
      ->add_option("--host-queue", options->run.host_queue,
                   "model: a host's queue in front of it, default or NAME=N,... of requests, "
                   "merge-kb, plug-ms,"
                   " prefetch-kb and loops (docs/metrics.md); --depth is then how many "
                   "commands the drive has at once")
      ->excludes(phase_from);
  command->add_option(
      "--allow-writes", options->run.writes,
      "device: LBN ranges FIRST-LAST, or all, that may be rewritten with what they hold");
  add_not_in_use_option(*command, options->run.not_in_use);
  add_force(*command, options->run.outputs);
  add_quiet_host_option(*command, options->run.quiet);
  add_progress_option(*command, options->progress);
  add_json(*command, options->json, "the summary for programs");
  command->callback([options, command] {
    options->run.members.insert(options->run.members.end(), options->more_members.begin(),
                                options->more_members.end());
    require_targets(*options);
    options->run.target = options->run.members.front();
    refuse_what_has_no_effect(*command, *options);
    options->run.caches = kCaches.at(options->caches);
    if (!options->scheduler.empty())
      options->run.queue = engine::QueueSettings{*replay::scheduler_of(options->scheduler), 0,
                                                 options->ageing};
    Progress progress(options->progress);
    const jobs::Replayed replayed = jobs::replay_trace(options->run, progress);
    progress.clear();
    print(replayed, *options);
  });
}

}  // namespace platter::cli

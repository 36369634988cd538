#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "cli/careful_replay.h"
#include "cli/lbn_ranges.h"
#include "cli/numbers.h"
#include "cli/open_device.h"
#include "cli/subcommands.h"
#include "cli/subject.h"
#include "cli/trace_options.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "replay/replay_drive.h"
#include "replay/replay_model.h"
#include "replay/result.h"
#include "trace/trace.h"

namespace platter::cli {
namespace {

const std::map<std::string, replay::Caches> kCaches = {
    {"default", replay::Caches::as_they_are}, {"off", replay::Caches::off}};

const std::map<std::string, engine::Scheduler> kSchedulers = {
    {"fcfs", engine::Scheduler::fcfs}, {"sstf", engine::Scheduler::sstf},
    {"look", engine::Scheduler::look}, {"c-look", engine::Scheduler::c_look},
    {"sptf", engine::Scheduler::sptf}};

struct Options {
  std::string scheduler;
  double ageing = 0;
  TraceOptions trace;
  std::string target, output, phase_from, caches = "default";
  std::uint32_t depth = 1, reference_reads = 16;
  std::vector<std::string> writes;
};

replay::Result on_model(const Options& options, const trace::Trace& trace) {
  replay::ModelReplay how{
      .caches = kCaches.at(options.caches), .depth = options.depth, .reference_reads = options.reference_reads};
  std::optional<replay::Result> drive;
  if (!options.phase_from.empty()) drive = replay::load_result(options.phase_from);
  if (drive) how.like = &*drive;
  if (!options.scheduler.empty())
    how.queue = engine::QueueSettings{kSchedulers.at(options.scheduler), 0, options.ageing};
  return replay::replay_on_model(load_subject(options.target).subject, trace, how);
}

// Devices have a prefix or lie in /dev; everything else is a file (subject.h).
bool is_device(const std::string& target) {
  for (const char* prefix : {"/dev/", "virtual:", "exec:", "record:", "playback:"})
    if (target.starts_with(prefix)) return true;
  return false;
}

replay::Result on_device(const Options& options, const trace::Trace& trace) {
  if (!options.scheduler.empty())
    throw Error(ExitStatus::usage,
                "--scheduler sets a model's queue; a drive orders its requests as it does");
  if (!options.phase_from.empty())
    throw Error(ExitStatus::usage,
                "--phase-from sets a model's phase; a drive's platter stands where it stands");
  const std::unique_ptr<scsi::Device> device = open_device(options.target);
  CarefulReplay careful(options.target);
  replay::DriveReplay how = careful.options("replay");
  how.caches = kCaches.at(options.caches);
  how.depth = options.depth;
  how.reference_reads = options.reference_reads;
  replay::Result result = replay::replay_on_drive(
      *device, {.writes = lbn_ranges(options.writes)}, trace, how);
  careful.finish();
  return result;
}

void print_lateness(const replay::Result& result) {
  const replay::Lateness late = replay::lateness_of(result);
  fmt::print(stderr,
             "platter: requests were issued late by {:.3f} ms (median), {:.3f} ms (99 %), at most "
             "{:.3f} ms\n",
             late.p50_ms, late.p99_ms, late.max_ms);
}

void run(const Options& options) {
  model::require_writable(options.output);
  const trace::Trace trace = options.trace.read();
  const replay::Result result =
      is_device(options.target) ? on_device(options, trace) : on_model(options, trace);
  replay::save_result(result, options.output);
  if (is_device(options.target)) print_lateness(result);
  if (result.outside_validity > 0)
    fmt::print(stderr, "platter: {} of {} requests lie outside what the model measured\n",
               result.outside_validity, result.requests.size());
}

}  // namespace

void add_replay(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("replay", "a trace on a drive, a model or a table");
  add_trace_options(*command, options->trace);
  command->add_option("--on", options->target, "a device, a model file, a table (.ptab) or DiskSim files (.parv)")->required();
  command->add_option("-o,--output", options->output, "the result file to write")->required();
  command->add_option("--caches", options->caches, "as they are, or off for the replay")
      ->check(CLI::IsMember(kCaches))
      ->capture_default_str();
  command->add_option("--depth", options->depth, "most requests outstanding")
      ->check(at_least(1))
      ->capture_default_str();
  CLI::Option* scheduler =
      command
          ->add_option("--scheduler", options->scheduler,
                       "model: which of the outstanding requests is next (else: as the model says)")
          ->check(CLI::IsMember(kSchedulers));
  command
      ->add_option("--ageing", options->ageing,
                   "model, sptf: each ms of waiting counts as so many ms less of positioning")
      ->needs(scheduler)
      ->check(CLI::Range(0.0, 1000.0));
  command->add_option("--reference-reads", options->reference_reads,
                      "reads from the media before the trace, to set a model's phase by")
      ->capture_default_str();
  command->add_option("--phase-from", options->phase_from,
                      "model: issue every request when this result's drive got it, the platter's "
                      "phase set once from its reference reads");
  command->add_option("--allow-writes", options->writes,
                      "device: LBN ranges FIRST-LAST that may be rewritten with what they hold");
  command->callback([options] { run(*options); });
}

}  // namespace platter::cli

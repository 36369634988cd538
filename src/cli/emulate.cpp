#include <fmt/format.h>

#include <memory>

#include "cli/contents_options.h"
#include "cli/numbers.h"
#include "cli/subcommands.h"
#include "jobs/emulated_drives.h"
#include "jobs/needs.h"
#include "jobs/servers.h"
#include "model/error.h"
#include "replay/replay_model.h"

namespace platter::cli {
namespace {

struct EmulateOptions {
  std::vector<std::string> models{};
  jobs::Serving serving{};
  std::string log{}, log_to_check{}, scheduler{};
  std::vector<std::string> episodes{};
  ContentsOptions contents{};
  CLI::Option *nbd = nullptr, *vhost_user = nullptr;
  bool ublk = false;
  jobs::Outputs outputs{};
};

void check(const EmulateOptions& options, const std::vector<jobs::EmulatedDrive>& drives) {
  const emulator::CheckedLog checked = jobs::checked_log(options.log_to_check, drives);
  if (options.serving.json)
    print_json("platter-emulation-check", {{"completions", checked.completions},
                                           {"flushes", checked.flushes},
                                           {"episodes", checked.episodes},
                                           {"differ", checked.differ},
                                           {"first_difference", checked.first_difference}});
  else
    fmt::print("{} completions and {} flushes{}: {} differ from the engine's\n",
               checked.completions, checked.flushes,
               checked.episodes == 0
                   ? ""
                   : fmt::format(", on which episodes act {} times", checked.episodes),
               checked.differ);
  jobs::require_no_difference(checked);
}

void serve(EmulateOptions& options, const std::vector<jobs::EmulatedDrive>& drives) {
  jobs::tell_standing(drives);
  options.serving.contents = options.contents.choices(options.models.size());
  for (const emulator::ContentsChoice& contents : options.serving.contents)
    if (contents.file) options.outputs.keeps(*contents.file);
  if (!options.log.empty()) {
    options.outputs.writes(options.log);
    options.serving.log = options.log;
  }
  if (!options.scheduler.empty())
    options.serving.scheduler = replay::scheduler_of(options.scheduler);
  if (options.nbd->count() > 0) return jobs::serve_over_nbd(drives, options.serving);
  if (options.ublk) return jobs::serve_over_ublk(drives, options.serving);
  jobs::serve_over_vhost_user(drives, options.serving);
}

void emulate(EmulateOptions& options) {
  const bool checks = !options.log_to_check.empty();
  const auto wants = [](const CLI::Option* option) { return option->count() > 0 ? 1 : 0; };
  if (checks + wants(options.nbd) + options.ublk + wants(options.vhost_user) != 1)
    throw Error(ExitStatus::usage,
                "platter emulate serves drives or checks a log; give one of --nbd, --ublk, "
                "--vhost-user and --check-log");
  if (options.nbd->count() > 0) jobs::require_needs("emulate", "--nbd");
  if (options.ublk) jobs::require_ublk();
  std::vector<jobs::EmulatedDrive> drives = jobs::emulated_drives(options.models);
  jobs::add_episodes(drives, options.episodes);
  if (checks)
    check(options, drives);
  else
    serve(options, drives);
}

}  // namespace

void add_emulate(CLI::App& app) {
  auto options = std::make_shared<EmulateOptions>();
  jobs::Serving& serving = options->serving;
  CLI::App* command = app.add_subcommand("emulate",
                                         "models as drives for other programs, in real time");
  command
      ->add_option("MODEL", options->models,
                   "model files, tables (.ptab), DiskSim files (.parv) or virtual:NAME; each is a "
                   "drive")
      ->required();
  options->nbd = command
                     ->add_option("--nbd", serving.socket,
                                  "serve them to NBD clients on this socket (no path: on one in a "
                                  "private folder)")
                     ->expected(0, 1);
  command->add_flag("--ublk", options->ublk,
                    "serve them as block devices of this kernel, /dev/ublkbN (Linux 6.0, root)");
  options->vhost_user =
      command
          ->add_option("--vhost-user", serving.socket,
                       "serve them as the targets of a SCSI host to user-mode Linux or QEMU on "
                       "this socket (no path: on one in a private folder)")
          ->expected(0, 1);
  CLI::Option* checked = command->add_option(
      "--check-log", options->log_to_check,
      "serve nothing: does the engine give the times of this log again?");
  for (CLI::Option* const served :
       {command
            ->add_option("--log", options->log, "a line for each arrival, model time and delivery")
            ->check(named_for(Written::log)),
        command->add_option("--speed", serving.speed, "drives so many times as fast")
            ->transform(between(1, 1000000))
            ->capture_default_str(),
        command
            ->add_option("--scheduler", options->scheduler,
                         "which of the outstanding requests is next (else: as the model says)")
            ->check(scheduler_name())
            ->excludes(options->vhost_user),
        command
            ->add_option("--depth", serving.depth,
                         "most requests outstanding in a drive (else: as the model says)")
            ->transform(between(1, 64))
            ->excludes(options->vhost_user),
        command->add_flag("--ordinary", serving.ordinary,
                          "without SCHED_FIFO: late whenever the machine is busy")})
    served->excludes(checked);
  command
      ->add_option("--episodes", options->episodes,
                   "files that say how and when the drives misbehave: one for all, or one for each")
      ->type_name("FILE");
  options->contents.add_to(*command);
  for (CLI::Option* const option : options->contents.options()) option->excludes(checked);
  command
      ->add_flag("--write-cache-loss", serving.write_cache_loss,
                 "a power cut (SIGUSR2) takes what the drive's cache has not written")
      ->excludes(checked);
  add_force(*command, options->outputs);
  add_json(*command, serving.json, "the report as JSON on stdout");
  command->callback([options] { emulate(*options); });
}

}  // namespace platter::cli

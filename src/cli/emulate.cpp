#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/contents_options.h"
#include "cli/emulated_drives.h"
#include "cli/nbd_server.h"
#include "cli/needs.h"
#include "cli/numbers.h"
#include "cli/output_names.h"
#include "cli/outputs.h"
#include "cli/scheduler_name.h"
#include "cli/subcommands.h"
#include "cli/vhost_user_server.h"
#include "emulator/check/check_log.h"
#include "model/error.h"
#include "model/json_head.h"
#include "model/json_text.h"
#include "replay/replay_model.h"

namespace platter::cli {
namespace {

struct EmulateOptions {
  std::vector<std::string> models{};
  NbdServing serving{};  // of either kind, as far as both have it
  std::string vhost_user_socket{};
  std::string log{}, log_to_check{}, scheduler{};
  ContentsOptions contents{};
  CLI::Option *nbd = nullptr, *vhost_user = nullptr;
  Outputs outputs{};
};

void check(const EmulateOptions& options, const std::vector<EmulatedDrive>& drives) {
  std::ifstream log(options.log_to_check);
  if (!log)
    throw Error(ExitStatus::bad_input,
                options.log_to_check + " cannot be read; give the log of an emulation");
  const emulator::CheckedLog checked = emulator::check_log(log, options.log_to_check,
                                                           logged_drives(drives));
  if (options.serving.json) {
    auto answer = model::json_head("platter-emulation-check");
    answer["completions"] = checked.completions;
    answer["flushes"] = checked.flushes;
    answer["differ"] = checked.differ;
    answer["first_difference"] = checked.first_difference;
    fmt::print("{}\n", model::json_text(answer, model::JsonForm::indented));
  } else {
    fmt::print("{} completions and {} flushes: {} differ from the engine's\n", checked.completions,
               checked.flushes, checked.differ);
  }
  if (checked.differ != 0)
    throw Error(ExitStatus::differs,
                checked.first_difference + "; this is a defect of the emulator, please report it");
}

void serve(EmulateOptions& options, const std::vector<EmulatedDrive>& drives) {
  tell_standing(drives);
  options.serving.contents = options.contents.choices(options.models.size());
  for (const emulator::ContentsChoice& contents : options.serving.contents)
    if (contents.file) options.outputs.keeps(*contents.file);
  if (!options.log.empty()) {
    options.outputs.writes(options.log);
    options.serving.log = options.log;
  }
  if (options.nbd->count() > 0) {
    if (!options.scheduler.empty())
      options.serving.scheduler = replay::scheduler_of(options.scheduler);
    return serve_over_nbd(drives, options.serving);
  }
  const NbdServing& of_both = options.serving;
  serve_over_vhost_user(drives,
                        {options.vhost_user_socket, of_both.contents, of_both.log, of_both.speed,
                         of_both.write_cache_loss, of_both.ordinary, of_both.json});
}

void emulate(EmulateOptions& options) {
  const bool checks = !options.log_to_check.empty();
  if (checks + (options.nbd->count() > 0) + (options.vhost_user->count() > 0) != 1)
    throw Error(ExitStatus::usage,
                "platter emulate serves drives or checks a log; give one of --nbd, --vhost-user "
                "and --check-log");
  if (options.nbd->count() > 0) require_needs("emulate", "--nbd");
  const std::vector<EmulatedDrive> drives = emulated_drives(options.models);
  if (checks)
    check(options, drives);
  else
    serve(options, drives);
}

}  // namespace

void add_emulate(CLI::App& app) {
  auto options = std::make_shared<EmulateOptions>();
  NbdServing& serving = options->serving;
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
  options->vhost_user =
      command
          ->add_option("--vhost-user", options->vhost_user_socket,
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
  options->contents.add_to(*command);
  for (CLI::Option* const option : options->contents.options()) option->excludes(checked);
  command
      ->add_flag("--write-cache-loss", serving.write_cache_loss,
                 "a power cut (SIGUSR2) takes what the drive's cache has not written")
      ->excludes(checked);
  options->outputs.add_force(*command);
  command->add_flag("--json", serving.json, "the report as JSON on stdout");
  command->callback([options] { emulate(*options); });
}

}  // namespace platter::cli

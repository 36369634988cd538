#include "jobs/cosim.h"

#include <fmt/core.h>

#include <memory>

#include "cli/contents_options.h"
#include "cli/numbers.h"
#include "cli/subcommands.h"
#include "jobs/needs.h"
#include "model/error.h"

namespace platter::cli {
namespace {

std::vector<std::string> the_command;

struct CosimOptions {
  jobs::Cosimulation run{};
  ContentsOptions contents{};
  bool build_kernel = false;
};

void cosim(CosimOptions& options) {
  jobs::require_needs("cosim");
  Progress progress;
  if (options.build_kernel) {
    if (!options.run.models.empty() || !the_command.empty())
      throw Error(
          ExitStatus::usage,
          "--build-kernel only builds the guest's kernel; give it no models and no command");
    fmt::print("{}\n", jobs::guest_kernel_of(options.run, progress));
    return;
  }
  if (options.run.models.empty() || the_command.empty())
    throw Error(ExitStatus::usage,
                "platter cosim runs a command against drives; write platter cosim MODEL... -- "
                "COMMAND ARGUMENTS...");
  jobs::require_command(the_command.front());
  options.run.command = the_command;
  options.run.contents = options.contents.choices(options.run.models.size());
  if (const int status = jobs::cosimulate(options.run, progress)) throw CommandEnded{status};
}

}  // namespace

int take_command(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "cosim") return argc;
  for (int i = 2; i < argc; ++i)
    if (std::string_view(argv[i]) == "--") {
      the_command.assign(argv + i + 1, argv + argc);
      return i;
    }
  return argc;
}

void add_cosim(CLI::App& app) {
  auto options = std::make_shared<CosimOptions>();
  CLI::App* command = app.add_subcommand(
      "cosim", "a real kernel runs a command against models as drives, in simulated time");
  command->footer("The command and its arguments stand behind `--`.");
  command->add_option(
      "MODEL", options->run.models,
      "model files, DiskSim files (.parv) or virtual:NAME; each is a drive: /dev/sda, /dev/sdb...");
  options->contents.add_to(*command);
  command
      ->add_option("--episodes", options->run.episodes,
                   "files that say how and when the drives misbehave: one for all, or one for each")
      ->type_name("FILE");
  command->add_option("--share", options->run.shares,
                      "folders of the host that the command may write");
  command->add_option("--log", options->run.log, "a line for each command, model time and delivery")
      ->check(named_for(Written::log));
  command
      ->add_option("--report", options->run.report,
                   "how it went, as JSON in this file (else: a line on stderr)")
      ->check(named_for(Written::report_of_command));
  command->add_option("--memory", options->run.memory_mb, "of the guest, in MB")
      ->transform(between(64, 1 << 20))
      ->capture_default_str();
  command->add_option("--seed", options->run.seed, "of the guest's chance")
      ->transform(whole_number())
      ->capture_default_str();
  command->add_option(
      "--date", options->run.date,
      "of the guest's clock at the start, YYYY-MM-DD (else: the coming midnight, UTC)");
  command->add_option("--speed", options->run.speed, "drives so many times as fast")
      ->transform(between(1, 1000000))
      ->capture_default_str();
  command
      ->add_option("--cpu-factor", options->run.cpu_factor,
                   "how often the processor time of the command passes before its next request "
                   "reaches a drive")
      ->transform(between(0, 1e6))
      ->capture_default_str();
  command
      ->add_option("--syscall-ns", options->run.call_ns,
                   "what a system call or a page fault of the command takes, beside what it waits")
      ->transform(between(0, 1000000))
      ->capture_default_str();
  command
      ->add_option("--patience", options->run.patience_s,
                   "how much processor time a program may take without a system call; then time "
                   "passes as it computes, and the run is not the same again")
      ->transform(seconds(0.1, 1e6))
      ->capture_default_str();
  command->add_flag("--strict", options->run.is_strict,
                    "then the run ends (13) and names the program");
  command
      ->add_option("--power-cut-at", options->run.power_cut_s,
                   "the power of the guest and of all drives goes at this second of its time")
      ->transform(seconds(0, 1e9));
  command
      ->add_flag("--write-cache-loss", options->run.write_cache_loss,
                 "with the power goes what the drives' caches have not written")
      ->needs("--power-cut-at");
  command->add_option("--kernel", options->run.kernel,
                      "a kernel that was built before (else: ours, built once)");
  CLI::Option* build = command->add_flag("--build-kernel", options->build_kernel,
                                         "build the guest's kernel, print its path, and no more");
  add_force(*command, options->run.outputs);
  for (CLI::Option* const of_a_run : command->get_options())
    if (of_a_run != build && of_a_run != command->get_help_ptr() && of_a_run->nonpositional())
      build->excludes(of_a_run);
  command->callback([options] { cosim(*options); });
}

}  // namespace platter::cli

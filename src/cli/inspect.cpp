#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/several.h"
#include "cli/streams.h"
#include "cli/subcommands.h"
#include "jobs/inspected.h"
#include "jobs/open_device.h"
#include "jobs/printed_tables.h"

namespace platter::cli {
namespace {

struct InspectOptions {
  std::vector<std::string> devices;
  jobs::QuietHostOption quiet;
  bool json = false, raw = false, commands = false;
};

}  // namespace

void add_inspect(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand(
      "inspect",
      "what a drive is and can; whether drive and host are fit, and what to do about it");
  CLI::Option* device = command->add_option("DEVICE", options->devices,
                                            "a device, or several (platter devices lists them)");
  CLI::Option* json = add_json(*command, options->json, "all of it as JSON to stdout");
  command->add_flag("--raw", options->raw, "the mode and VPD pages as they came, too")
      ->excludes(json);
  add_quiet_host_option(*command, options->quiet);
  CLI::Option* commands = command->add_flag(
      "--commands", options->commands,
      "no device: every SCSI command that platter can send, and when (docs/safety.md)");
  for (CLI::Option* const option : command->get_options())
    if (option != commands && option != command->get_help_ptr()) commands->excludes(option);
  command->callback([options, device] {
    if (options->commands) {
      print_as_it_is();  // the table of docs/safety.md
      return fmt::print("{}", jobs::command_list());
    }
    if (device->count() == 0) throw CLI::RequiredError("DEVICE");
    for_each_of(options->devices, options->json, Heading::name,
                [&](const std::string& name, const Print& print) {
                  const jobs::Inspected found = jobs::inspect(name, options->quiet);
                  print(options->json ? jobs::inspection_json(found)
                                      : jobs::inspection_text(found, options->raw));
                });
  });
}

}  // namespace platter::cli

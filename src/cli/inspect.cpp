#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/command_list.h"
#include "cli/inspected.h"
#include "cli/interrupt.h"
#include "cli/open_device.h"
#include "cli/quiet_host.h"
#include "cli/several.h"
#include "cli/streams.h"
#include "cli/subcommands.h"
#include "model/error.h"

namespace platter::cli {
namespace {

struct InspectOptions {
  std::vector<std::string> devices;
  QuietHostOption quiet;
  bool json = false, raw = false, commands = false;
};

// A drive that does not rotate is neither read nor timed.
bool rotates(const scsi::Inspection& drive) {
  return !drive.rotation || drive.rotation->rpm != scsi::kDoesNotRotate;
}

// The drive that Linux knows by this node; nullopt: it is no drive of Linux.
std::optional<transport::HostDrive> drive_of_host(const std::string& name) {
  std::error_code none;
  const std::string device = std::filesystem::canonical(name, none).string();
  for (auto& drive : transport::host_drives())
    if (device == "/dev/" + drive.block || device == "/dev/" + drive.sg ||
        device == "/dev/bsg/" + drive.bsg)
      return std::move(drive);
  return std::nullopt;
}

Inspected inspect(const std::string& name, const InspectOptions& options) {
  const auto device = open_device(name, {.changes = false});
  catch_interrupts();
  const HostKeptQuiet quiet(options.quiet, name);
  scsi::Guard guard(*device, {.settings = false, .writes = {}});
  scsi::Drive drive(guard, device->name());
  drive.on_command([](const scsi::CommandRecord&) {
    if (interrupted())
      throw Error(ExitStatus::interrupted, "stopped by a signal; nothing of the drive was changed");
  });
  Inspected found;
  found.device = name;
  found.drive = scsi::inspect(drive);
  found.quiet = quiet.host() != nullptr;
  found.most_outstanding = device->max_outstanding();
  constexpr double kUsual_rpm = 7200, kMinute_ms = 60'000;
  const double rpm = extract::nominal_speed(drive).rpm;
  found.period_ms = kMinute_ms / (rpm > 0 ? rpm : kUsual_rpm);
  if (rotates(found.drive) && !drive.is_host_managed()) {
    found.drive.reads_reach = extract::reads_reach(drive);
    found.expected_time = extract::expected_time(drive);
  }
  scsi::note_what_was_said(drive, found.drive);
  const std::string& root = options.quiet.root;
  found.host = transport::host_fitness(root);
  found.host_checks = host::host_checks(found.host, root);
  if (const auto on_host = drive_of_host(name))
    found.path_checks = host::path_checks(*on_host, root);
  return found;
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand(
      "inspect",
      "what a drive is and can; whether drive and host are fit, and what to do about it");
  CLI::Option* device = command->add_option("DEVICE", options->devices,
                                            "a device, or several (platter devices lists them)");
  CLI::Option* json = command->add_flag("--json", options->json, "all of it as JSON to stdout");
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
      return fmt::print("{}", command_list());
    }
    if (device->count() == 0) throw CLI::RequiredError("DEVICE");
    for_each_of(
        options->devices, options->json, Heading::name,
        [&](const std::string& name, const Print& print) {
          const Inspected found = inspect(name, *options);
          print(options->json ? inspection_json(found) : inspection_text(found, options->raw));
        });
  });
}

}  // namespace platter::cli

#include <filesystem>
#include <system_error>
#include <utility>

#include "jobs/inspected.h"
#include "jobs/open_device.h"
#include "jobs/signals.h"
#include "model/error.h"

namespace platter::jobs {
namespace {

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

}  // namespace

Inspected inspect(const std::string& name, const QuietHostOption& quiet_host) {
  const auto device = open_device(name, {.changes = false});
  catch_interrupts();
  const HostKeptQuiet quiet(quiet_host, name);
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
  if (rotates(found.drive) && found.drive.may_be_read()) {
    found.drive.reads_reach = extract::reads_reach(drive);
    found.expected_time = extract::expected_time(drive);
  }
  scsi::note_what_was_said(drive, found.drive);
  const std::string& root = quiet_host.root;
  found.host = transport::host_fitness(root);
  found.host_checks = host::host_checks(found.host, root);
  if (const auto on_host = drive_of_host(name))
    found.path_checks = host::path_checks(*on_host, root);
  return found;
}

}  // namespace platter::jobs

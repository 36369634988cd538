#include "emulator/blocks/served_drives.h"

#include <algorithm>
#include <cstring>

#include "emulator/pace/drive_report.h"
#include "model/printable.h"
#include "model/quietly.h"
#include "model/say.h"

namespace platter::emulator {

ServedDrives::ServedDrives(const DrivesSettings& settings)
    : speed_(settings.speed),
      json_(settings.json),
      settles_(std::ranges::any_of(settings.drives, &DriveSettings::write_cache_loss)),
      clock_(host_now_ns(), settings.speed) {
  if (settings.log) log_ = std::make_unique<LogWriter>(*settings.log);
  for (const DriveSettings& drive : settings.drives)
    drives_.push_back(
        std::make_unique<ServedDrive>(drive, drives_.size(), clock_, delay_, log_.get()));
  if (!log_) return;
  std::vector<std::string> heads;
  for (const auto& drive : drives_) heads.push_back(drive->log_head());
  log_->line(log_head("blocks", speed_, heads));
}

std::string ServedDrives::report(const Lateness& at_client) const {
  std::vector<DriveReport> reports;
  for (const auto& drive : drives_) reports.push_back(drive->report());
  const TransportReport transport{delay_, at_client};
  return json_ ? json_of(reports, speed_, transport) : text_of(reports, transport);
}

void ServedDrives::cut_power() {
  for (const auto& drive : drives_)
    if (const int error = drive->cut_power())
      model::say(
          "platter: the contents of {} could not be brought to where the power left "
          "them: {}\n",
          model::printable(drive->name()), std::strerror(error));
}

void ServedDrives::settle() {
  for (const auto& drive : drives_) drive->settle();
}

void ServedDrives::end() {
  for (const auto& drive : drives_) drive->end();
}

void ServedDrives::keep_all() noexcept {
  for (const auto& drive : drives_)
    model::quietly([&] {
      if (const int error = drive->flush_contents())
        model::say("platter: the contents of {} were not kept: {}\n",
                   model::printable(drive->name()), std::strerror(error));
    });
  model::quietly([this] {
    const std::string trouble = log_ ? log_->finish() : "";
    if (!trouble.empty()) model::say("platter: {}\n", model::printable(trouble));
  });
}

}  // namespace platter::emulator

#include "emulator/vhost_user/emulation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "emulator/pace/real_time.h"
#include "emulator/pace/write_whole.h"
#include "model/printable.h"

namespace platter::emulator {
namespace {

void notice(const std::string& sentence) { fmt::print(stderr, "platter: {}\n", sentence); }

std::unique_ptr<Contents> contents_of(const EmulatedScsiDrive& drive) {
  const model::Identity& identity = drive.drive.model.identity;
  return make_contents(drive.contents, identity.blocks * identity.block_bytes,
                       identity.block_bytes);
}

}  // namespace

Emulation::Emulation(const EmulationSettings& settings)
    : settings_(settings), clock_(host_now_ns(), settings.speed) {
  for (const EmulatedScsiDrive& drive : settings_.drives) contents_.push_back(contents_of(drive));
  if (settings_.log) log_ = std::make_unique<LogWriter>(*settings_.log);
  for (unsigned i = 0; i < settings_.drives.size(); ++i)
    drives_.push_back(
        std::make_unique<ScsiDrive>(settings_.drives[i].drive, i, *contents_[i], log_.get()));
  if (std::ranges::any_of(settings_.drives,
                          [](const auto& d) { return d.contents.file.has_value(); }))
    keeper_ = std::make_unique<Keeper>();
  if (!log_) return;
  std::vector<std::string> heads;
  for (const auto& drive : drives_) heads.push_back(drive->log_head());
  log_->line(fmt::format(
      R"({{"schema":{{"name":"platter-emulation-log","version":"1.0"}},"requests":"commands",)"
      R"("speed":{},"drives":[{}]}})",
      settings_.speed, fmt::join(heads, ",")));
}

Emulation::~Emulation() = default;

void Emulation::run(int listening, int wake, const std::function<Server::Asked()>& asked) {
  if (!settings_.ordinary)
    for (const std::string& refused : ask_for_real_time()) notice(refused);
  WakeProbe probe(!settings_.ordinary, delay_,
                  [this](const std::string& trouble) { notice(ready_notice(delay_, trouble)); });
  if (settings_.ordinary)
    run_without_slack();
  else
    run_in_real_time();
  std::unique_ptr<Server> server;
  const auto tell = [&] { write_whole(STDOUT_FILENO, report(*server)); };
  server = std::make_unique<Server>(
      drives_, clock_, delay_,
      Server::Surroundings{listening, wake, keeper_.get(), &probe, asked, notice, tell});
  server->run();
  finish();
  tell();
}

void Emulation::finish() {
  for (const auto& drive : drives_) {
    if (const int error = drive->contents().flush())
      notice(fmt::format("the contents of {} were not kept: {}", model::printable(drive->name()),
                         std::strerror(error)));
    if (const int error = drive->contents_error())
      notice(fmt::format("the contents of {} failed a command: {}", model::printable(drive->name()),
                         std::strerror(error)));
  }
  if (!log_) return;
  if (const std::string trouble = log_->finish(); !trouble.empty())
    notice(model::printable(trouble));
}

std::string Emulation::report(const Server& server) const {
  std::vector<DriveReport> reports;
  for (std::size_t i = 0; i < drives_.size(); ++i)
    reports.push_back({drives_[i]->name(), settings_.drives[i].model_against_drive,
                       server.lateness(i), drives_[i]->outside_validity(),
                       drives_[i]->late_arrivals(), drives_[i]->contents().stored_bytes()});
  return settings_.json ? json_of(reports, settings_.speed, delay_) : text_of(reports);
}

}  // namespace platter::emulator

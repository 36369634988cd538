#include "emulator/vhost_user/emulation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "emulator/contents/volatile_contents.h"
#include "emulator/pace/real_time.h"
#include "emulator/pace/write_whole.h"
#include "model/printable.h"

namespace platter::emulator {
namespace {

void notice(const std::string& sentence) { fmt::print(stderr, "platter: {}\n", sentence); }

GeneratedReport report_of(const GeneratedContents::State& state) {
  return {state.dropped_bytes, state.dropped_unclaimed, state.waiting_bytes, state.file_systems};
}

}  // namespace

Emulation::Emulation(const EmulationSettings& settings)
    : settings_(settings), clock_(host_now_ns(), settings.speed) {
  for (unsigned i = 0; i < settings_.drives.size(); ++i) add_contents(i);
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

void Emulation::add_contents(unsigned number) {
  const EmulatedScsiDrive& drive = settings_.drives[number];
  const model::Identity& identity = drive.drive.model.identity;
  auto media = make_contents(drive.contents, identity.blocks * identity.block_bytes,
                             identity.block_bytes);
  generated_.push_back(dynamic_cast<const GeneratedContents*>(media.get()));
  if (drive.write_cache_loss)
    contents_.push_back(std::make_unique<VolatileContents>(
        std::move(media), [this, number] { return drives_[number]->unwritten_bytes(); }));
  else
    contents_.push_back(std::move(media));
}

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
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    const ScsiDrive& drive = *drives_[i];
    reports.push_back({drive.name(), settings_.drives[i].model_against_drive, server.lateness(i),
                       drive.outside_validity(), drive.late_arrivals(),
                       contents_[i]->stored_bytes(), server.power_cuts(), std::nullopt});
    if (generated_[i] != nullptr) reports.back().generated = report_of(generated_[i]->state());
  }
  return settings_.json ? json_of(reports, settings_.speed, delay_) : text_of(reports);
}

}  // namespace platter::emulator

#include "emulator/vhost_user/emulation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "emulator/contents/generated_contents.h"
#include "emulator/pace/real_time.h"
#include "emulator/pace/report_writer.h"
#include "emulator/pace/unread_notices.h"
#include "model/say.h"

namespace platter::emulator {
namespace {

void notice(const std::string& sentence) { model::say("platter: {}\n", sentence); }

GeneratedReport report_of(const GeneratedContents::State& state) {
  return {state.dropped_bytes, state.dropped_unclaimed, state.waiting_bytes, state.file_systems};
}

}  // namespace

Emulation::Emulation(const EmulationSettings& settings)
    : settings_(settings),
      clock_(host_now_ns(), settings.speed),
      drives_(settings.drives, settings.log, settings.speed) {
  if (std::ranges::any_of(settings_.drives,
                          [](const auto& each) { return each.contents.file.has_value(); }))
    keeper_ = std::make_unique<Keeper>();
}

Emulation::~Emulation() = default;

void Emulation::run(int listening, int wake, const std::function<Server::Asked()>& asked) {
  ReportWriter reports;  // before this thread is one of real time
  drop_unread_notices();
  allow_many_descriptors();
  if (!settings_.ordinary)
    for (const std::string& refused : ask_for_real_time()) notice(refused);
  WakeProbe probe(!settings_.ordinary, delay_,
                  [this](const std::string& trouble) { notice(ready_notice(delay_, trouble)); });
  if (settings_.ordinary)
    run_without_slack();
  else
    run_in_real_time();
  std::unique_ptr<Server> server;
  const auto tell = [&] { reports.write(report(*server, probe.at_client())); };
  server = std::make_unique<Server>(
      drives_.drives(), clock_, delay_,
      Server::Surroundings{listening, wake, keeper_.get(), &probe, asked, notice, tell});
  server->run();
  drives_.finish(notice);
  tell();
}

std::string Emulation::report(const Server& server, const Lateness& at_client) const {
  std::vector<DriveReport> reports;
  for (std::size_t i = 0; i < settings_.drives.size(); ++i) {
    ScsiDrive& drive = *drives_.drives()[i];
    reports.push_back({drive.name(), settings_.models_against_drives[i], server.lateness(i),
                       drive.outside_validity(), drive.late_arrivals(),
                       drive.contents().stored_bytes(), server.power_cuts(), std::nullopt,
                       drive.episode_reports()});
    if (const GeneratedContents* const generated = drives_.generated(i))
      reports.back().generated = report_of(generated->state());
  }
  const TransportReport transport{delay_, at_client};
  return settings_.json ? json_of(reports, settings_.speed, transport)
                        : text_of(reports, transport);
}

}  // namespace platter::emulator

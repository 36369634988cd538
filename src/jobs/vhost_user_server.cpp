#include "jobs/vhost_user_server.h"

#include <fmt/format.h>

#include "emulator/vhost_user/emulation.h"
#include "jobs/listening_socket.h"
#include "jobs/private_folder.h"
#include "jobs/taken_signals.h"
#include "model/folder.h"
#include "model/say.h"

namespace platter::jobs {
namespace {

using emulator::Server;

emulator::EmulationSettings settings_of(const std::vector<EmulatedDrive>& drives,
                                        const VhostUserServing& serving) {
  emulator::EmulationSettings settings;
  settings.drives = scsi_drives(drives, serving.contents, serving.write_cache_loss);
  for (const EmulatedDrive& drive : drives)
    settings.models_against_drives.push_back(against_its_drive(drive));
  settings.speed = serving.speed;
  settings.log = serving.log;
  settings.ordinary = serving.ordinary;
  settings.json = serving.json;
  return settings;
}

}  // namespace

void serve_over_vhost_user(const std::vector<EmulatedDrive>& drives,
                           const VhostUserServing& serving) {
  const auto settings = settings_of(drives, serving);  // before there is a socket
  const PrivateFolder folder;
  const ListeningSocket socket(serving.socket.empty() ? folder.path() + "/vhost-user"
                                                      : serving.socket);
  TakenSignals signals({SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2});  // before there are threads
  emulator::Emulation emulation(settings);
  for (std::size_t i = 0; i < drives.size(); ++i)
    model::say("platter: {} is target {} of {}\n", drives[i].table.identity.name, i,
               model::absolute_path(socket.path()));
  emulation.run(socket.descriptor(), signals.descriptor(), [&] {
    switch (signals.read()) {
      case 0:
        return Server::Asked::nothing;
      case SIGUSR1:
        return Server::Asked::report;
      case SIGUSR2:
        return Server::Asked::power_cut;
      default:
        return Server::Asked::end;
    }
  });
}

}  // namespace platter::jobs

#include "cli/vhost_user_server.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/listening_socket.h"
#include "cli/private_folder.h"
#include "cli/taken_signals.h"
#include "emulator/vhost_user/emulation.h"
#include "model/error.h"

namespace platter::cli {
namespace {

using emulator::Server;

emulator::EmulationSettings settings_of(const std::vector<EmulatedDrive>& drives,
                                        const VhostUserServing& serving) {
  emulator::EmulationSettings settings;
  for (std::size_t i = 0; i < drives.size(); ++i) {
    const EmulatedDrive& drive = drives[i];
    if (!drive.model)
      throw Error(ExitStatus::bad_input,
                  drive.path +
                      " is a table, which does not tell what the drive answers to SCSI "
                      "commands; give the model that it was made of");
    settings.drives.push_back(
        {{drive.name, *drive.model, drive.table.model_sha256},
         against_its_drive(drive),
         serving.contents.empty() ? emulator::ContentsChoice{} : serving.contents[i],
         serving.write_cache_loss});
  }
  settings.speed = serving.speed;
  settings.log = serving.log;
  settings.ordinary = serving.ordinary;
  settings.json = serving.json;
  return settings;
}

}  // namespace

void serve_over_vhost_user(const std::vector<EmulatedDrive>& drives,
                           const VhostUserServing& serving) {
  constexpr std::size_t kMostTargets = 256;
  if (drives.size() > kMostTargets)
    throw Error(ExitStatus::usage, fmt::format("{} models, and a SCSI host has {} targets; serve "
                                               "the others on a socket of their own",
                                               drives.size(), kMostTargets));
  const PrivateFolder folder;
  const ListeningSocket socket(serving.socket.empty() ? folder.path() + "/vhost-user"
                                                      : serving.socket);
  TakenSignals signals({SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2});  // before there are threads
  emulator::Emulation emulation(settings_of(drives, serving));
  for (std::size_t i = 0; i < drives.size(); ++i)
    fmt::print(stderr, "platter: {} is target {} of {}\n", drives[i].table.identity.name, i,
               std::filesystem::absolute(socket.path()).string());
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

}  // namespace platter::cli

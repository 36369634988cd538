// Drives on a socket from the first guest to the end: their contents, clock and log, and what is
// told of how it goes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/pace/drive_report.h"
#include "emulator/pace/real_time.h"
#include "emulator/scsi/drive_set.h"
#include "emulator/vhost_user/keeper.h"
#include "emulator/vhost_user/server.h"
#include "emulator/vhost_user/wake_probe.h"

namespace platter::emulator {

struct EmulationSettings {
  std::vector<DriveOfSet> drives{};                  // at least one
  std::vector<std::string> models_against_drives{};  // of each, what is known of the model
  int speed = 1;                                     // so many times as fast as the host's clock
  std::optional<std::string> log{};                  // path
  bool ordinary = false;                             // without asking for real time
  bool json = false;                                 // the report
};

class Emulation {
 public:
  // Throws Error for a model, or a file of contents or of the log, that is not what it should be.
  explicit Emulation(const EmulationSettings& settings);
  ~Emulation();
  Emulation(const Emulation&) = delete;
  Emulation& operator=(const Emulation&) = delete;

  // Serves guests on a socket that listens until `asked` says that it has to end; `wake` is
  // readable when it has something to say. Then contents and log are whole.
  void run(int listening, int wake, const std::function<Server::Asked()>& asked);

 private:
  std::string report(const Server& server, const Lateness& at_client) const;

  EmulationSettings settings_;
  DriveClock clock_;
  TransportDelay delay_{};
  DriveSet drives_;
  std::unique_ptr<Keeper> keeper_{};
};

}  // namespace platter::emulator

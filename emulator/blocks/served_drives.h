// The drives of one emulation, their clock and log, for every front end of blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/blocks/served_drive.h"
#include "emulator/pace/lateness.h"
#include "emulator/pace/log_writer.h"
#include "emulator/pace/real_time.h"
#include "emulator/pace/transport_delay.h"

namespace platter::emulator {

struct DrivesSettings {
  std::vector<DriveSettings> drives{};  // at least one
  int speed = 1;                        // so many times as fast as the host's clock
  std::optional<std::string> log{};     // path
  bool json = false;                    // the report
};

class ServedDrives {
 public:
  // Throws Error.
  explicit ServedDrives(const DrivesSettings& settings);

  const std::vector<std::unique_ptr<ServedDrive>>& drives() const { return drives_; }
  TransportDelay& delay() { return delay_; }
  const TransportDelay& delay() const { return delay_; }

  std::string report(const Lateness& at_client) const;
  // The power of all goes, and comes back. What was under way is not answered.
  void cut_power();
  // Whether settle() is to be called now and then, so that a kill leaves of contents in a file what
  // a power cut would.
  bool settles() const { return settles_; }
  void settle();
  // Nothing is answered any more.
  void end();
  // Contents are kept and the log is whole, whatever becomes of each.
  void keep_all() noexcept;

 private:
  const int speed_;
  const bool json_, settles_;
  DriveClock clock_;
  TransportDelay delay_{};
  std::unique_ptr<LogWriter> log_{};
  std::vector<std::unique_ptr<ServedDrive>> drives_{};
};

}  // namespace platter::emulator

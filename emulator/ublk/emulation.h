// Drives as block devices of this kernel, until somebody ends it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "emulator/blocks/served_drives.h"
#include "emulator/ublk/prober.h"

namespace platter::emulator::ublk {

struct EmulationSettings : DrivesSettings {
  bool ordinary = false;  // without asking for real time
};

class Emulation {
 public:
  // The devices are there. Throws Error.
  explicit Emulation(const EmulationSettings& settings);
  // They are gone, and contents are kept.
  ~Emulation();
  Emulation(const Emulation&) = delete;
  Emulation& operator=(const Emulation&) = delete;

  // Of a drive, by its place: /dev/ublkbN.
  std::string path(std::size_t drive) const;
  // Returns when asked to end by SIGINT, SIGTERM or SIGHUP; SIGUSR1 prints a report, SIGUSR2 cuts
  // the power. `wake`: readable when `asked` has a signal's number; 0: none.
  void run(int wake, const std::function<int()>& asked);

 private:
  class Served;

  void stop(const std::function<int()>& asked);
  void cut_power();

  const EmulationSettings settings_;
  ServedDrives drives_;
  std::vector<std::unique_ptr<Served>> served_{};
  std::unique_ptr<Prober> prober_{};
};

}  // namespace platter::emulator::ublk

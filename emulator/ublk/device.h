// A block device of this kernel that a process serves: /dev/ublkbN, and /dev/ublkcN for its server.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/ublk/commands.h"
#include "model/descriptor.h"

namespace platter::emulator::ublk {

// Throws Error(missing_program) where this kernel has no ublk, or not for this process. Removes the
// devices of emulations that were killed.
void require_ublk();

class Device {
 public:
  // There from start() on. Throws Error.
  explicit Device(const ublk_params& params);
  ~Device();  // it is gone
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  int file() const { return file_.get(); }  // of /dev/ublkcN
  std::string path() const;                 // /dev/ublkbN
  // All of its requests are fetched; the kernel looks for partitions.
  void start();
  // Returns when nothing is outstanding any more, whoever has it open.
  void stop() noexcept;

 private:
  std::uint32_t number_;
  model::Descriptor file_;
};

}  // namespace platter::emulator::ublk

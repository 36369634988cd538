// The way from a program through the kernel to the server and back, measured on a device of its
// own: the drives know nothing of it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "emulator/pace/null_commands.h"
#include "emulator/ublk/device.h"
#include "emulator/ublk/queue.h"
#include "model/descriptor.h"

namespace platter::emulator::ublk {

class Prober {
 public:
  // `block_bytes`: of the drives. `measured` as in NullCommands. Throws Error.
  Prober(std::uint32_t block_bytes, bool in_real_time, TransportDelay& delay,
         std::function<void(const std::string& trouble)> measured);
  ~Prober();

  std::string path() const { return device_.path(); }
  Lateness at_client() const { return commands_->at_client(); }

 private:
  int serve(const Request& request, Courier& courier);
  std::string send(const NullCommand& what);

  struct Free {
    void operator()(void* memory) const;
  };
  TransportDelay& delay_;
  std::unique_ptr<void, Free> data_;
  Device device_;
  std::atomic<NullCommands*> listens_{nullptr};
  std::atomic<bool> ends_{false};
  Queue queue_;
  model::Descriptor client_{};
  std::unique_ptr<NullCommands> commands_;
};

}  // namespace platter::emulator::ublk

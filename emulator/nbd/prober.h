// The way from an NBD client to the plugin and back, measured by a client of our own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/pace/null_commands.h"

struct nbd_handle;

namespace platter::emulator {

// The client whose reads and writes are the null commands; it is told by the name of its export.
// Those to the awake are of the drive's second half.
inline constexpr const char* kProbeExport = ".platter-probe";

class Prober {
 public:
  // `block_bytes`, `bytes`: the drive's whose export it is. `measured` as in NullCommands.
  Prober(std::string socket, std::uint32_t block_bytes, std::uint64_t bytes, bool in_real_time,
         TransportDelay& delay, std::function<void(const std::string& trouble)> measured);
  ~Prober();

  NullCommands& commands() { return commands_; }
  // It was hung up on, and finds a server where it was.
  void come_again() { comes_again_ = true; }
  // The server ends: who connects now may never be greeted, and would be waited for.
  void stay_away() noexcept { stays_away_ = true; }

 private:
  std::string send(const NullCommand& what);
  std::string send_once(const NullCommand& what);
  bool connect();

  struct Close {
    void operator()(nbd_handle* client) const;
  };
  const std::string socket_;
  const std::uint32_t block_bytes_;
  const std::uint64_t awake_from_;  // the first byte of those for the awake
  std::vector<std::uint8_t> data_;
  std::unique_ptr<nbd_handle, Close> client_{};
  std::atomic<bool> comes_again_{false}, stays_away_{false};
  NullCommands commands_;  // its thread ends first
};

}  // namespace platter::emulator

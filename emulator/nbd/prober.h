// The way from an NBD client to the plugin and back, measured by a client of our own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "emulator/pace/null_commands.h"

struct nbd_handle;

namespace platter::emulator {

// The client whose cache requests are the null commands; it is told by the name of its export.
inline constexpr const char* kProbeExport = ".platter-probe";

class Prober {
 public:
  // `measured` as in NullCommands.
  Prober(std::string socket, bool in_real_time, TransportDelay& delay,
         std::function<void(const std::string& trouble)> measured);
  ~Prober();

  NullCommands& commands() { return commands_; }
  // It was hung up on, and finds a server where it was.
  void come_again() { comes_again_ = true; }
  // The server ends: who connects now may never be greeted, and would be waited for.
  void stay_away() noexcept { stays_away_ = true; }

 private:
  std::string send();
  std::string send_once();
  bool connect();

  struct Close {
    void operator()(nbd_handle* client) const;
  };
  const std::string socket_;
  std::unique_ptr<nbd_handle, Close> client_{};
  std::atomic<bool> comes_again_{false}, stays_away_{false};
  NullCommands commands_;  // its thread ends first
};

}  // namespace platter::emulator

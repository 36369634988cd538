// What it takes to wake the server when a guest kicks it, and a guest when it is called: a thread
// plays a guest whose commands do nothing.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "emulator/pace/null_commands.h"
#include "emulator/vhost_user/patience.h"

namespace platter::emulator {

class WakeProbe {
 public:
  // `measured` as in NullCommands.
  WakeProbe(bool in_real_time, TransportDelay& delay,
            std::function<void(const std::string& trouble)> measured);
  ~WakeProbe();
  WakeProbe(const WakeProbe&) = delete;
  WakeProbe& operator=(const WakeProbe&) = delete;

  Lateness at_client() const { return commands_.at_client(); }

  // The server's side, of one thread. Readable when there is a null command.
  int kick_descriptor() const { return kick_; }
  // The server woke for it then.
  void seen(Nanoseconds host_ns);
  // When to answer the one that was seen; nullopt: there is none.
  std::optional<Nanoseconds> answer_at() const { return answer_at_; }
  // As a guest is called.
  void answer(Patience& patience);

 private:
  std::string send(const NullCommand& what);

  int kick_, call_;
  const TransportDelay& delay_;
  std::optional<Nanoseconds> answer_at_{};
  std::atomic<bool> awake_{false};  // the one that was sent last
  NullCommands commands_;           // its thread ends first
};

}  // namespace platter::emulator

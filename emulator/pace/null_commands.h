// Measures a transport by commands that do nothing: a thread sends them as a client would, many at
// first, then some every second while drives serve.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "emulator/pace/transport_delay.h"
#include "model/units.h"

namespace platter::emulator {

// Both sides sleep before an answer, as they do before a disk's: what it takes to wake them is most
// of the transport's delay. So a null command is answered so much later than it was seen.
inline constexpr Nanoseconds kNullCommand = kMillisecond;

class NullCommands {
 public:
  // `send` sends one and returns when it is answered: "" or a sentence, why there is none.
  // `measured` is called once, when the first delays are known, or with that sentence.
  // Both by the thread.
  NullCommands(bool in_real_time, TransportDelay& delay, std::function<std::string()> send,
               std::function<void(const std::string& trouble)> measured);
  ~NullCommands();
  NullCommands(const NullCommands&) = delete;
  NullCommands& operator=(const NullCommands&) = delete;

  // The server's side of one: it was seen, it is answered.
  void seen(Nanoseconds host_ns) { seen_ns_.store(host_ns, std::memory_order_release); }
  void answered(Nanoseconds host_ns) { answered_ns_.store(host_ns, std::memory_order_release); }

 private:
  void run();
  std::string measure();
  bool pause(Nanoseconds length);

  const bool in_real_time_;
  TransportDelay& delay_;
  const std::function<std::string()> send_;
  const std::function<void(const std::string&)> measured_;
  std::atomic<Nanoseconds> seen_ns_{0}, answered_ns_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace platter::emulator

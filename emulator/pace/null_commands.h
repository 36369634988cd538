// Measures a transport by commands that do nothing: a thread sends them as a client would, many at
// first, then some every second while drives serve.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "emulator/pace/lateness.h"
#include "emulator/pace/transport_delay.h"
#include "model/units.h"

namespace platter::emulator {

struct NullCommand {
  enum class Data : std::uint8_t { none, read, write } data = Data::none;
  std::size_t bytes_at = 0;  // of TransportDelay::kBytes, of its data
  bool awake = false;        // it follows the one before at once, and is answered at once
};

// Both sides sleep before an answer, as they do before a disk's, and as long: what it takes to wake
// them is most of the transport's delay, and grows with their sleep. So a null command is answered
// so much later than it was seen; one to those who are awake is answered sooner than anybody
// sleeps.
constexpr Nanoseconds null_command_ns(bool awake) { return awake ? kAwake / 2 : 6 * kMillisecond; }
// When the server answers one that it saw then, corrected as an answer of a drive is; the bytes
// that came with it, and those of its answer.
Nanoseconds answer_host_ns(const TransportDelay& delay, Nanoseconds seen_host_ns,
                           std::uint64_t in_bytes, std::uint64_t out_bytes, bool awake);

class NullCommands {
 public:
  // `send` sends one and returns when it is answered: "" or a sentence, why there is none.
  // `most_bytes`: data of a command; 0: this transport carries none. `measured` is called once,
  // when the first delays are known, or with that sentence. Both by the thread.
  NullCommands(bool in_real_time, std::uint64_t most_bytes, TransportDelay& delay,
               std::function<std::string(const NullCommand&)> send,
               std::function<void(const std::string& trouble)> measured);
  ~NullCommands();
  NullCommands(const NullCommands&) = delete;
  NullCommands& operator=(const NullCommands&) = delete;

  // The server's side of one: it was seen, it is answered.
  void seen(Nanoseconds host_ns) { seen_ns_.store(host_ns, std::memory_order_release); }
  void answered(Nanoseconds host_ns) { answered_ns_.store(host_ns, std::memory_order_release); }

  // How true to their times the answers were that the client saw, by its own clock, since the way
  // is known.
  Lateness at_client() const;

 private:
  void run();
  std::string measure();
  bool pause(Nanoseconds length);

  const bool in_real_time_;
  TransportDelay& delay_;
  const std::vector<NullCommand> kinds_;
  const std::function<std::string(const NullCommand&)> send_;
  const std::function<void(const std::string&)> measured_;
  std::atomic<Nanoseconds> seen_ns_{0}, answered_ns_{0};
  mutable std::mutex mutex_;
  Lateness at_client_{};
  std::condition_variable wake_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace platter::emulator

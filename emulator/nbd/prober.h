// Measures the way from an NBD client to the plugin and back: a client of our own sends commands
// that do nothing, many at first, then a few every second while the drive serves.
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

// The client whose cache requests are ours; it is told by the name of its export.
inline constexpr const char* kProbeExport = ".platter-probe";

class Prober {
 public:
  // `measured` is called once, when the first delays are known, or with a sentence why not.
  Prober(std::string socket, bool in_real_time, TransportDelay& delay,
         std::function<void(const std::string& trouble)> measured);
  ~Prober();
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;

  // The plugin's side of a null command: it was seen, it is answered.
  void seen(Nanoseconds host_ns) { seen_ns_.store(host_ns, std::memory_order_release); }
  void answered(Nanoseconds host_ns) { answered_ns_.store(host_ns, std::memory_order_release); }

 private:
  void run();
  std::string probe();
  bool pause(Nanoseconds length);

  const std::string socket_;
  const bool in_real_time_;
  TransportDelay& delay_;
  const std::function<void(const std::string&)> measured_;
  std::atomic<Nanoseconds> seen_ns_{0}, answered_ns_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace platter::emulator

// What the way to the drive and back takes, from commands that do nothing: a request is dated back
// by the way in, an answer leaves early by the way out (the external error corrections of Griffin
// 2002, section 3).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "model/units.h"

namespace platter::emulator {

class TransportDelay {
 public:
  // As many of the latest samples count; before kEnough there is no correction.
  static constexpr std::size_t kRemembered = 127;
  static constexpr std::size_t kEnough = 15;

  // One thread adds; any may ask. No allocation.
  void add(Nanoseconds inbound_ns, Nanoseconds outbound_ns);
  // Medians: delays have a long tail, which no correction can foresee.
  Nanoseconds inbound_ns() const { return inbound_ns_.load(std::memory_order_relaxed); }
  Nanoseconds outbound_ns() const { return outbound_ns_.load(std::memory_order_relaxed); }

 private:
  using Samples = std::array<Nanoseconds, kRemembered>;
  Nanoseconds median(const Samples& samples) const;

  Samples inbound_{}, outbound_{};
  std::size_t seen_ = 0;
  std::atomic<Nanoseconds> inbound_ns_{0}, outbound_ns_{0};
};

}  // namespace platter::emulator

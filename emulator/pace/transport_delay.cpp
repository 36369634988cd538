#include "emulator/pace/transport_delay.h"

#include <algorithm>

namespace platter::emulator {

Nanoseconds TransportDelay::median(const Samples& samples) const {
  Samples sorted = samples;
  auto* const end = sorted.data() + std::min(seen_, kRemembered);
  auto* const middle = sorted.data() + (end - sorted.data()) / 2;
  std::nth_element(sorted.data(), middle, end);
  return *middle;
}

void TransportDelay::add(Nanoseconds inbound_ns, Nanoseconds outbound_ns) {
  inbound_[seen_ % kRemembered] = inbound_ns;
  outbound_[seen_ % kRemembered] = outbound_ns;
  ++seen_;
  if (seen_ < kEnough) return;
  inbound_ns_.store(median(inbound_), std::memory_order_relaxed);
  outbound_ns_.store(median(outbound_), std::memory_order_relaxed);
}

}  // namespace platter::emulator

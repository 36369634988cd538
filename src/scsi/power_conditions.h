// When a drive that is left alone goes to rest: mode page 1Ah (SPC-4, 7.5.13, Power Condition).
#pragma once

#include <cstdint>
#include <optional>

#include "scsi/reply_bytes.h"

namespace platter::scsi {

// One of each for the conditions, the deeper ones behind.
template <typename T>
struct OfConditions {
  T idle_a{}, idle_b{}, idle_c{}, standby_y{}, standby_z{};
};

struct PowerTimer {
  bool enabled = false;
  std::optional<std::uint32_t> tenths;  // of a second without a command; nullopt: not in the page
};

// Page 1Ah. Before SPC-4 it had idle (here idle_a) and standby (here standby_z) alone.
using PowerTimers = OfConditions<PowerTimer>;

// nullopt: another page, or too short to say which conditions are enabled.
std::optional<PowerTimers> decode_power_timers(Bytes page);

}  // namespace platter::scsi

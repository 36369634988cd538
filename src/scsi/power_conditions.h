// When a drive that is left alone goes to rest, and how long it needs back: VPD page 8Ah (SPC-4,
// 7.8.14, Power Condition) and mode page 1Ah (SPC-4, 7.5.13, Power Condition).
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

// VPD page 8Ah.
struct PowerConditions {
  OfConditions<bool> has;
  // ms until it is ready again, at most; FFFFh: more than 65,534. nullopt: not said.
  OfConditions<std::optional<std::uint16_t>> recovery_ms;
  std::optional<std::uint16_t> stopped_recovery_ms;
};

struct PowerTimer {
  bool enabled = false;
  std::optional<std::uint32_t> tenths;  // of a second without a command; nullopt: not in the page
};

// Page 1Ah. Before SPC-4 it had idle (here idle_a) and standby (here standby_z) alone.
using PowerTimers = OfConditions<PowerTimer>;

// nullopt: another page, or too short to say which conditions there are, or are enabled.
std::optional<PowerConditions> decode_power_conditions(Bytes reply);
std::optional<PowerTimers> decode_power_timers(Bytes page);

}  // namespace platter::scsi

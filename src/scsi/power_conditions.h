// When a drive that is left alone goes to rest: mode page 1Ah (SPC-4, 7.5.13, Power Condition); and
// what it says of coming back: VPD page 8Ah (SPC-4, 7.8.11, Power Condition).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scsi/bytes.h"

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

// Where both pages have a condition, in the order of model::kPowerConditions. Timers have 4 bytes,
// times 2.
struct PowerField {
  std::size_t enabled_at;
  std::uint8_t enabled;
  std::size_t timer_at, told_at;
  std::uint8_t told;
  std::size_t time_at;
};
inline constexpr std::array<PowerField, 5> kPowerFields{{{3, 0x02, 4, 5, 0x01, 12},
                                                         {3, 0x04, 12, 5, 0x02, 14},
                                                         {3, 0x08, 16, 5, 0x04, 16},
                                                         {2, 0x01, 20, 4, 0x02, 10},
                                                         {3, 0x01, 8, 4, 0x01, 8}}};
constexpr std::size_t kLongPowerPage = 24, kRecoveryPage = 18;

// Page 1Ah with that condition's timer alone. nullopt: another page, or one that does not have it.
std::optional<std::vector<std::uint8_t>> with_only_timer(Bytes page, std::size_t condition,
                                                         std::uint32_t tenths);

// In ms, of each condition that the drive has; 0: not told; 65535: longer than 65.534 s.
using RecoveryTimes = std::array<std::optional<std::uint16_t>, kPowerFields.size()>;
// nullopt: another page, or not all of it came.
std::optional<RecoveryTimes> decode_recovery_times(Bytes reply);

}  // namespace platter::scsi

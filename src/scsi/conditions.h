// What a drive does on its own while it is measured, and the mode pages that stop it: background
// scans of the medium and power conditions. Pure functions from a page to the page that is wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scsi/replies.h"

namespace platter::scsi {

struct PageCode {
  std::uint8_t page = 0, subpage = 0;
  auto operator<=>(const PageCode&) const = default;
};

constexpr PageCode kCachingPage{0x08, 0x00};
constexpr PageCode kPowerConditionPage{0x1A, 0x00};
constexpr PageCode kBackgroundControlPage{0x1C, 0x01};

// The pages that a run may set; all of them are put back.
bool may_be_set(PageCode code);
// Of a page as it came; SPF says whether there is a subpage. nullopt: it is not whole.
std::optional<PageCode> code_of(Bytes page);

// Idle and standby timers off (SPC-4, Power Condition mode page; the short page of SPC-3 has two of
// the five). nullopt: no such page.
std::optional<std::vector<std::uint8_t>> without_power_conditions(Bytes page);
// EN_BMS and EN_PS off (SBC-3, Background Control mode page). nullopt: no such page.
std::optional<std::vector<std::uint8_t>> without_background_scan(Bytes page);

}  // namespace platter::scsi

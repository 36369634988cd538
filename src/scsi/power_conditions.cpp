#include "scsi/power_conditions.h"

namespace platter::scsi {
namespace {

std::optional<std::uint16_t> recovery_at(Bytes page, std::size_t at) {
  const auto time = field<std::uint16_t>(page, at);
  return time == 0 ? std::nullopt : time;
}

}  // namespace

std::optional<PowerConditions> decode_power_conditions(Bytes reply) {
  const auto page = vpd_page_in(reply, 0x8A);
  if (page.size() < 6) return std::nullopt;
  PowerConditions found;
  found.has = {.idle_a = (page[5] & 0x01) != 0,
               .idle_b = (page[5] & 0x02) != 0,
               .idle_c = (page[5] & 0x04) != 0,
               .standby_y = (page[4] & 0x02) != 0,
               .standby_z = (page[4] & 0x01) != 0};
  found.stopped_recovery_ms = recovery_at(page, 6);
  found.recovery_ms = {.idle_a = recovery_at(page, 12),
                       .idle_b = recovery_at(page, 14),
                       .idle_c = recovery_at(page, 16),
                       .standby_y = recovery_at(page, 10),
                       .standby_z = recovery_at(page, 8)};
  return found;
}

std::optional<PowerTimers> decode_power_timers(Bytes page) {
  if (page.size() < 4 || (page[0] & 0x7F) != 0x1A) return std::nullopt;  // with a subpage: another
  page = part(page, 0, 2U + page[1]);
  if (page.size() < 4) return std::nullopt;
  const auto timer = [&](std::size_t byte, unsigned mask, std::size_t at) {
    return PowerTimer{(page[byte] & mask) != 0, field<std::uint32_t>(page, at)};
  };
  return PowerTimers{.idle_a = timer(3, 0x02, 4),
                     .idle_b = timer(3, 0x04, 12),
                     .idle_c = timer(3, 0x08, 16),
                     .standby_y = timer(2, 0x01, 20),
                     .standby_z = timer(3, 0x01, 8)};
}

}  // namespace platter::scsi

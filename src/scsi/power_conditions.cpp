#include "scsi/power_conditions.h"

namespace platter::scsi {

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

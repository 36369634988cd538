#include "scsi/power_conditions.h"

#include "scsi/bytes.h"
#include "scsi/conditions.h"

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

std::optional<std::vector<std::uint8_t>> with_only_timer(Bytes page, std::size_t condition,
                                                         std::uint32_t tenths) {
  auto wanted = without_power_conditions(page);
  const PowerField& field = kPowerFields.at(condition);
  if (!wanted || wanted->size() < field.timer_at + 4) return std::nullopt;
  (*wanted)[field.enabled_at] |= field.enabled;
  put_be(&(*wanted)[field.timer_at], 4, tenths);
  return wanted;
}

std::optional<RecoveryTimes> decode_recovery_times(Bytes reply) {
  constexpr std::uint8_t kPage = 0x8A;
  const auto page = vpd_page_in(reply, kPage);
  if (!is_whole_vpd_page(page) || page.size() < kRecoveryPage) return std::nullopt;
  RecoveryTimes times;
  for (std::size_t i = 0; i < kPowerFields.size(); ++i)
    if ((page[kPowerFields[i].told_at] & kPowerFields[i].told) != 0)
      times[i] = get_be16(&page[kPowerFields[i].time_at]);
  return times;
}

}  // namespace platter::scsi

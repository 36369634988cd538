#include "scsi/conditions.h"

#include "scsi/bytes.h"

namespace platter::scsi {

bool may_be_set(PageCode code) {
  return code == kCachingPage || code == kPowerConditionPage || code == kBackgroundControlPage;
}

std::optional<PageCode> code_of(Bytes page) {
  if (page.size() < 2) return std::nullopt;
  const auto code = static_cast<std::uint8_t>(page[0] & 0x3F);
  if (!(page[0] & 0x40))
    return page.size() == 2U + page[1] ? std::optional<PageCode>({code, 0}) : std::nullopt;
  if (page.size() < 4 || page.size() != 4U + get_be16(&page[2])) return std::nullopt;
  return PageCode{code, page[1]};
}

std::optional<std::vector<std::uint8_t>> without_power_conditions(Bytes page) {
  if (code_of(page) != kPowerConditionPage || page.size() < 4) return std::nullopt;
  std::vector<std::uint8_t> quiet(page.begin(), page.end());
  quiet[2] &= 0xFE;  // STANDBY_Y
  quiet[3] &= 0xF0;  // IDLE_C, IDLE_B, IDLE_A, STANDBY_Z
  return quiet;
}

std::optional<std::vector<std::uint8_t>> without_background_scan(Bytes page) {
  if (code_of(page) != kBackgroundControlPage || page.size() < 6) return std::nullopt;
  std::vector<std::uint8_t> quiet(page.begin(), page.end());
  quiet[4] &= 0xFE;  // EN_BMS
  quiet[5] &= 0xFE;  // EN_PS
  return quiet;
}

}  // namespace platter::scsi

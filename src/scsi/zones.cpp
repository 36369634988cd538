#include "scsi/zones.h"

namespace platter::scsi {
namespace {

// All ones are for "not reported" of what is best, and for "no limit" of the most.
std::optional<std::uint32_t> zones_at(Bytes page, std::size_t at) {
  const auto zones = field<std::uint32_t>(page, at);
  return zones == 0xFFFFFFFF ? std::nullopt : zones;
}

}  // namespace

std::optional<ZonedCharacteristics> decode_zoned_characteristics(Bytes reply) {
  const auto page = vpd_page_in(reply, 0xB6);
  if (page.size() < 5) return std::nullopt;
  ZonedCharacteristics zones;
  zones.extension = page[4] >> 4;
  zones.reads_beyond_write_pointer = (page[4] & 0x01) != 0;
  zones.optimal_open = zones_at(page, 8);
  zones.optimal_nonsequential = zones_at(page, 12);
  zones.most_open = zones_at(page, 16);
  constexpr std::uint8_t kNotReported = 0, kConstantStarts = 8;
  if (page.size() > 23 && (page[23] & 0x0F) != kNotReported)
    zones.alignment_method = static_cast<std::uint8_t>(page[23] & 0x0F);
  if (zones.alignment_method == kConstantStarts)
    zones.start_granularity = field<std::uint64_t>(page, 24);
  return zones;
}

}  // namespace platter::scsi

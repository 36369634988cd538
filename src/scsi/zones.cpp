#include "scsi/zones.h"

#include "model/zones.h"
#include "scsi/bytes.h"

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

namespace {

std::optional<model::ZoneRun> zone_in(Bytes descriptor) {
  const std::size_t type = descriptor[0] & 0x0F, condition = descriptor[1] >> 4;
  if (type == 0 || type > model::kZoneTypes.size() || model::kZoneConditions[condition].empty())
    return std::nullopt;
  model::ZoneRun zone;
  zone.first_lbn = get_be(&descriptor[16], 8);
  zone.blocks = get_be(&descriptor[8], 8);
  zone.type = model::kZoneTypes[type - 1];
  zone.condition = model::kZoneConditions[condition];
  constexpr std::size_t kFirstOpen = 2, kClosed = 4;
  if (condition < kFirstOpen || condition > kClosed) return zone;  // its pointer tells nothing
  const std::uint64_t pointer = get_be(&descriptor[24], 8);
  if (pointer < zone.first_lbn || pointer - zone.first_lbn > zone.blocks) return std::nullopt;
  zone.written = pointer - zone.first_lbn;
  return zone;
}

}  // namespace

std::optional<std::vector<model::ZoneRun>> decode_zones(Bytes reply) {
  if (reply.size() < kZoneHeader) return std::nullopt;
  const std::size_t told = get_be(&reply[0], 4) / kZoneDescriptor;
  std::vector<model::ZoneRun> zones;
  for (std::size_t at = kZoneHeader; at + kZoneDescriptor <= reply.size() && zones.size() < told;
       at += kZoneDescriptor) {
    const auto zone = zone_in(reply.subspan(at, kZoneDescriptor));
    if (!zone) return std::nullopt;
    zones.push_back(*zone);
  }
  return zones;
}

}  // namespace platter::scsi

#include "virtual_drive/zone_commands.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "scsi/bytes.h"
#include "scsi/zones.h"

namespace platter::virtual_drive {
namespace {

using Bytes = std::vector<std::uint8_t>;

// REPORTING OPTIONS, table of ZBC-2 clause 5.6.2: a condition, or a bit of the descriptor.
std::optional<bool> is_asked_for(const Zone& zone, std::uint8_t options) {
  constexpr std::uint8_t kAll = 0x00, kRecommendedReset = 0x10, kOutOfOrder = 0x11,
                         kNoPointer = 0x3f;
  using enum ZoneCondition;
  constexpr ZoneCondition kByOption[] = {empty, implicitly_open, explicitly_open, closed,
                                         full,  read_only,       offline};
  switch (options) {
    case kAll:
      return true;
    case kRecommendedReset:
      return false;  // this drive recommends none
    case kOutOfOrder:
      return zone.out_of_order;
    case kNoPointer:
      return zone.condition == not_write_pointer;
    default:
      if (options > std::size(kByOption)) return std::nullopt;
      return zone.condition == kByOption[options - 1];
  }
}

void append_descriptor(Bytes& data, const Zone& zone) {
  const std::size_t at = data.size();
  data.resize(at + scsi::kZoneDescriptor, 0);
  data[at] = static_cast<std::uint8_t>(zone.type);
  data[at + 1] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(zone.condition) << 4 |
                                           (zone.out_of_order ? 0x02 : 0));
  const bool has_pointer = zone.is_open() || zone.condition == ZoneCondition::closed ||
                           zone.condition == ZoneCondition::empty;
  scsi::put_be(&data[at + 8], 8, zone.blocks);
  scsi::put_be(&data[at + 16], 8, zone.first);
  scsi::put_be(&data[at + 24], 8,
               has_pointer ? zone.pointer() : std::numeric_limits<std::uint64_t>::max());
}

// SAME: 1, all are as the first; 2, but for the last one's length; 3, of one length.
std::uint8_t same_of(const std::vector<const Zone*>& zones) {
  if (zones.empty()) return 0;
  const Zone& first = *zones.front();
  bool types = true, lengths = true;
  for (const Zone* zone : zones) {
    types = types && zone->type == first.type;
    lengths = lengths && (zone->blocks == first.blocks || zone == zones.back());
  }
  if (!lengths) return 0;
  const bool last_too = zones.back()->blocks == first.blocks;
  if (types) return last_too ? 1 : 2;
  return last_too ? 3 : 0;
}

}  // namespace

Reply report_zones(const ZoneList& zones, const scsi::Command& command) {
  const std::uint64_t from = scsi::get_be(&command.cdb[2], 8);
  const std::uint32_t allocation_length = scsi::get_be32(&command.cdb[10]);
  const bool partial = command.cdb[14] & 0x80;
  const std::uint8_t options = command.cdb[14] & 0x3f;
  const std::uint64_t end = zones.zones().back().end();
  if (from >= end) return out_of_range(from);
  std::vector<const Zone*> found;
  for (const Zone& zone : zones.zones().subspan(zones.number_of(from))) {
    const auto asked = is_asked_for(zone, options);
    if (!asked) return invalid_cdb_field(14);
    if (*asked) found.push_back(&zone);
  }
  const std::size_t room = allocation_length < scsi::kZoneHeader
                               ? 0
                               : (allocation_length - scsi::kZoneHeader) / scsi::kZoneDescriptor;
  const std::size_t sent = std::min(room, found.size());
  Bytes data(scsi::kZoneHeader, 0);
  scsi::put_be(data.data(), 4, (partial ? sent : found.size()) * scsi::kZoneDescriptor);
  data[4] = same_of(found);
  scsi::put_be(&data[8], 8, end - 1);
  for (std::size_t i = 0; i < sent; ++i) append_descriptor(data, *found[i]);
  return good(std::move(data), allocation_length);
}

Reply act_on_zones(ZoneList& zones, const scsi::Command& command) {
  const auto action = static_cast<ZoneList::Action>(command.cdb[1] & 0x1f);
  const bool all = command.cdb[14] & 0x01;
  const std::uint64_t lbn = scsi::get_be(&command.cdb[2], 8);
  if (!all && lbn >= zones.zones().back().end()) return out_of_range(lbn);
  const auto refusal = zones.act(action, lbn, all);
  if (refusal == kInvalidFieldInCdb) return invalid_cdb_field(2);
  return refusal ? check_condition(*refusal) : Reply{};
}

}  // namespace platter::virtual_drive

#include "virtual_drive/identity_pages.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "model/power.h"
#include "model/stand_ins.h"
#include "scsi/bytes.h"
#include "scsi/power_conditions.h"
#include "scsi/zones.h"

namespace platter::virtual_drive {
namespace {

// A left-aligned ASCII field of INQUIRY data (SPC-4 clause 4.3.1).
std::string ascii_field(const std::string& text, const char* fallback, std::size_t length) {
  std::string field = text.empty() ? fallback : text;
  for (char& c : field)
    if (c < 0x20 || c > 0x7e) c = '?';
  field.resize(length, ' ');
  return field;
}

std::string vendor(const Personality& drive) {
  if (drive.firmware.ata) return ascii_field("ATA", "ATA", 8);  // SAT-4, standard INQUIRY data
  return ascii_field(drive.model.identity.vendor, "PLATTER", 8);
}
std::string product(const Personality& drive) {
  return ascii_field(drive.model.identity.product, "VIRTUAL DRIVE", 16);
}
std::string serial(const Personality& drive) {
  const std::string& text = drive.model.identity.serial;
  return ascii_field(text, "VIRTUAL", text.empty() ? 7 : std::min<std::size_t>(text.size(), 32));
}

}  // namespace

std::vector<std::uint8_t> vpd_page(std::uint8_t page, const std::vector<std::uint8_t>& payload) {
  std::vector<std::uint8_t> data(4 + payload.size(), 0);
  data[1] = page;
  scsi::put_be(&data[2], 2, payload.size());
  std::ranges::copy(payload, data.begin() + 4);
  return data;
}

namespace {

// One designator: code set ASCII, type T10 vendor identification (SPC-4 clause 7.8.5.4).
std::vector<std::uint8_t> device_identification(const Personality& drive) {
  const std::string name = vendor(drive) + product(drive) + serial(drive);
  std::vector<std::uint8_t> designator{0x02, 0x01, 0x00, static_cast<std::uint8_t>(name.size())};
  designator.insert(designator.end(), name.begin(), name.end());
  return designator;
}

constexpr std::size_t kBlockPageLength = 0x3c;  // of pages B0h and B1h

std::vector<std::uint8_t> block_limits(const Personality& drive) {
  std::vector<std::uint8_t> payload(kBlockPageLength, 0);
  scsi::put_be(&payload[8 - 4], 4, drive.most_transfer_blocks);
  scsi::put_be(&payload[36 - 4], 8, drive.most_same_blocks);  // WSNZ = 0: 0 blocks are all others
  return payload;
}

std::vector<std::uint8_t> block_device_characteristics(const Personality& drive) {
  std::vector<std::uint8_t> payload(kBlockPageLength, 0);
  scsi::put_be(&payload[4 - 4], 2, drive.rpm);
  payload[8 - 4] = static_cast<std::uint8_t>((drive.firmware.zoned & 3) << 4);
  return payload;
}

// ZBC-2 clause 6.5.2. All ones: not reported, or no limit.
std::vector<std::uint8_t> zoned_characteristics(const Personality& drive) {
  constexpr std::uint32_t kAllOnes = 0xffffffff;
  std::vector<std::uint8_t> payload(kBlockPageLength, 0);
  payload[4 - 4] = drive.model.identity.reads_past_pointers ? 1 : 0;  // URSWRZ
  scsi::put_be(&payload[8 - 4], 4, kAllOnes);
  scsi::put_be(&payload[12 - 4], 4, kAllOnes);
  scsi::put_be(&payload[16 - 4], 4, drive.model.identity.most_open_zones.value_or(kAllOnes));
  return payload;
}

// What waking up takes, as the drive has it.
std::vector<std::uint8_t> recovery_times(const Personality& drive) {
  constexpr std::size_t kHeader = 4, kStoppedAt = 6;
  constexpr double kLonger = 65535;
  std::vector<std::uint8_t> payload(scsi::kRecoveryPage - kHeader, 0);
  const auto tell = [&](std::size_t at, double ms) {
    scsi::put_be(&payload[at - kHeader], 2, static_cast<std::uint64_t>(std::min(ms, kLonger)));
  };
  const model::Power& power = *drive.model.power;
  for (std::size_t i = 0; i < model::kPowerConditions.size(); ++i) {
    const model::Parameter& wake = power.*model::kPowerConditions[i].wake;
    if (!is_there(wake)) continue;
    const scsi::PowerField& field = scsi::kPowerFields[i];
    payload[field.told_at - kHeader] |= field.told;
    tell(field.time_at,
         std::max(1.0, std::ceil(acting(power, wake) * drive.firmware.told_wake_share)));
  }
  tell(kStoppedAt, std::ceil(to_ms(drive.spin_up_ns)));
  return payload;
}

// Concurrent Positioning Ranges (SBC-5 clause 6.6.3): of each arm's blocks, on so many surfaces.
std::vector<std::uint8_t> positioning_ranges(const Personality& drive) {
  constexpr std::size_t kReserved = 60, kDescriptor = 32;
  const std::vector<model::ArmRange>& ranges = drive.model.arms->ranges;
  std::vector<std::uint8_t> payload(kReserved + kDescriptor * ranges.size(), 0);
  std::size_t at = kReserved;
  for (std::size_t i = 0; i < ranges.size(); ++i, at += kDescriptor) {
    payload[at] = static_cast<std::uint8_t>(i);
    payload[at + 1] = static_cast<std::uint8_t>(drive.heads / arm_count(drive.model));
    scsi::put_be(&payload[at + 8], 8, ranges[i].first_lbn);
    scsi::put_be(&payload[at + 16], 8, ranges[i].last_lbn - ranges[i].first_lbn + 1);
  }
  return payload;
}

// What the drive keeps to (SPC-4 clause 6.6.2, version descriptors), no edition claimed: SAM,
// SPC, SBC, and SAS, or the translation to ATA.
std::vector<std::uint16_t> version_descriptors(const Personality& drive) {
  constexpr std::uint16_t kSam3 = 0x0060, kSam5 = 0x00a0, kSpc3 = 0x0300, kSpc4 = 0x0460,
                          kSbc3 = 0x04c0, kSas11 = 0x0c00, kSas2 = 0x0c20, kSat2 = 0x1ec0;
  const bool newer = drive.level >= ScsiLevel::spc4;
  return {newer ? kSam5 : kSam3, newer ? kSpc4 : kSpc3, kSbc3,
          drive.firmware.ata ? kSat2
          : newer            ? kSas2
                             : kSas11};
}

// Behind the fields of every age: 20 bytes of the vendor's, two reserved, eight descriptors, 22
// reserved.
void append_version_descriptors(std::vector<std::uint8_t>& data, const Personality& drive) {
  constexpr std::size_t kDescriptorsAt = 58, kLength = 96;
  data.resize(kLength, 0);
  std::size_t at = kDescriptorsAt;
  for (const std::uint16_t descriptor : version_descriptors(drive)) {
    scsi::put_be(&data[at], 2, descriptor);
    at += 2;
  }
}

}  // namespace

std::vector<std::uint8_t> inquiry_data(const Personality& drive, std::uint8_t lun) {
  std::vector<std::uint8_t> data(8, 0);
  constexpr std::uint8_t kNoDevice = 0x7f, kDirectAccess = 0x00;
  data[0] = lun != 0 ? kNoDevice : drive.host_managed ? scsi::kHostManagedZones : kDirectAccess;
  data[2] = static_cast<std::uint8_t>(drive.level);
  data[3] = 0x02;  // response data format
  data[7] = 0x02;  // CMDQUE: tagged commands
  for (const auto& field :
       {vendor(drive), product(drive), ascii_field(drive.model.identity.revision, "0001", 4)})
    data.insert(data.end(), field.begin(), field.end());
  if (drive.level >= ScsiLevel::spc3) append_version_descriptors(data, drive);
  data[4] = static_cast<std::uint8_t>(data.size() - 5);  // additional length
  return data;
}

std::optional<std::vector<std::uint8_t>> vital_product_data(const Personality& drive,
                                                            std::uint8_t page) {
  const bool has_block_pages = drive.level >= ScsiLevel::spc3;
  const auto type = static_cast<std::uint8_t>(drive.host_managed ? scsi::kHostManagedZones : 0);
  const auto vpd_page = [type](std::uint8_t number, const std::vector<std::uint8_t>& payload) {
    auto data = virtual_drive::vpd_page(number, payload);
    data[0] = type;
    return data;
  };
  switch (page) {
    case 0x00: {
      std::vector<std::uint8_t> pages{0x00, 0x80, 0x83};
      if (drive.firmware.ata) pages.push_back(0x89);
      if (has_block_pages && drive.model.power) pages.push_back(0x8a);
      if (has_block_pages) pages.insert(pages.end(), {0xb0, 0xb1});
      if (has_block_pages && drive.has_zones) pages.push_back(0xb6);
      if (has_block_pages && drive.model.arms) pages.push_back(0xb9);
      return vpd_page(page, pages);
    }
    case 0x80: {
      const std::string text = serial(drive);
      return vpd_page(page, {text.begin(), text.end()});
    }
    case 0x83:
      return vpd_page(page, device_identification(drive));
    case 0x8a:
      if (has_block_pages && drive.model.power) return vpd_page(page, recovery_times(drive));
      break;
    case 0xb0:
      if (has_block_pages) return vpd_page(page, block_limits(drive));
      break;
    case 0xb1:
      if (has_block_pages) return vpd_page(page, block_device_characteristics(drive));
      break;
    case 0xb6:
      if (has_block_pages && drive.has_zones) return vpd_page(page, zoned_characteristics(drive));
      break;
    case 0xb9:
      if (has_block_pages && drive.model.arms) return vpd_page(page, positioning_ranges(drive));
      break;
  }
  return std::nullopt;
}

}  // namespace platter::virtual_drive

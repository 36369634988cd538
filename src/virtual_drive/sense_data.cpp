#include "virtual_drive/sense_data.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "scsi/bytes.h"

namespace platter::virtual_drive {

std::vector<std::uint8_t> fixed_sense(SenseCode code, std::optional<std::uint64_t> information,
                                      std::optional<FieldPointer> field) {
  constexpr std::size_t kLength = 18;
  std::vector<std::uint8_t> sense(kLength, 0);
  sense[0] = 0x70;  // current, fixed format
  sense[2] = code.key;
  sense[7] = kLength - 8;
  sense[12] = code.asc;
  sense[13] = code.ascq;
  if (information && *information <= std::numeric_limits<std::uint32_t>::max()) {
    sense[0] |= 0x80;
    scsi::put_be(&sense[3], 4, static_cast<std::uint32_t>(*information));
  }
  if (field) {
    sense[15] = static_cast<std::uint8_t>(0x80 | (field->in_cdb ? 0x40 : 0));
    scsi::put_be(&sense[16], 2, field->byte);
  }
  return sense;
}

Reply check_condition(SenseCode code) {
  return {scsi::Status::check_condition, fixed_sense(code), {}, 0};
}

Reply invalid_cdb_field(std::uint16_t byte) {
  return {scsi::Status::check_condition,
          fixed_sense(kInvalidFieldInCdb, std::nullopt, FieldPointer{true, byte}),
          {},
          0};
}

Reply invalid_parameter(std::uint16_t byte) {
  return {scsi::Status::check_condition,
          fixed_sense(kInvalidFieldInParameters, std::nullopt, FieldPointer{false, byte}),
          {},
          0};
}

Reply out_of_range(std::uint64_t lbn) {
  return {scsi::Status::check_condition, fixed_sense(kLbnOutOfRange, lbn), {}, 0};
}

Reply miscompare(std::uint64_t lbn) {
  return {scsi::Status::check_condition, fixed_sense(kMiscompare, lbn), {}, 0};
}

Reply good(std::vector<std::uint8_t> data, std::uint64_t allocation_length) {
  if (data.size() > allocation_length) data.resize(static_cast<std::size_t>(allocation_length));
  return {scsi::Status::good, {}, std::move(data), 0};
}

}  // namespace platter::virtual_drive

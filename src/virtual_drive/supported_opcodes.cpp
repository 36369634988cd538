#include "virtual_drive/supported_opcodes.h"

#include "scsi/bytes.h"

namespace platter::virtual_drive {
namespace {

using Bytes = std::vector<std::uint8_t>;

// What the host had better wait before it gives a command up, in seconds.
constexpr std::uint32_t kPatienceWithMedium_s = 60, kPatience_s = 10;

// SPC-4 clause 6.35.4. No nominal time is told: it depends on where the arm is.
void append_timeouts(Bytes& data, const OfferedCommand& offered) {
  Bytes descriptor(12, 0);
  scsi::put_be(&descriptor[0], 2, descriptor.size() - 2);
  scsi::put_be(&descriptor[8], 4, offered.waits_for_medium ? kPatienceWithMedium_s : kPatience_s);
  data.insert(data.end(), descriptor.begin(), descriptor.end());
}

Bytes all_commands(std::span<const OfferedCommand> offered, bool timeouts) {
  Bytes data(4, 0);
  for (const OfferedCommand& one : offered) {
    Bytes descriptor(8, 0);
    descriptor[0] = one.shape.opcode();
    scsi::put_be(&descriptor[2], 2, one.shape.service_action.value_or(0));
    descriptor[5] = static_cast<std::uint8_t>((timeouts ? 0x02 : 0) |                  // CTDP
                                              (one.shape.service_action ? 0x01 : 0));  // SERVACTV
    scsi::put_be(&descriptor[6], 2, one.shape.length);
    data.insert(data.end(), descriptor.begin(), descriptor.end());
    if (timeouts) append_timeouts(data, one);
  }
  scsi::put_be(&data[0], 4, data.size() - 4);
  return data;
}

Bytes one_command(const OfferedCommand* found, bool timeouts) {
  constexpr std::uint8_t kNotSupported = 1, kAsInTheStandard = 3;
  if (found == nullptr) return {0, kNotSupported, 0, 0};
  Bytes data(4, 0);
  data[1] = static_cast<std::uint8_t>((timeouts ? 0x80 : 0) | kAsInTheStandard);
  scsi::put_be(&data[2], 2, found->shape.length);
  const auto usage = found->shape.usage.begin();
  data.insert(data.end(), usage, usage + found->shape.length);
  if (timeouts) append_timeouts(data, *found);
  return data;
}

}  // namespace

Reply supported_opcodes(std::span<const OfferedCommand> offered, const scsi::Command& command) {
  const bool timeouts = command.cdb[2] & 0x80;  // RCTD
  const std::uint8_t options = command.cdb[2] & 0x07;
  const std::uint8_t opcode = command.cdb[3];
  const std::uint16_t action = scsi::get_be16(&command.cdb[4]);
  const std::uint32_t allocation_length = scsi::get_be32(&command.cdb[6]);
  constexpr std::uint8_t kAllCommands = 0, kByOpcode = 1, kByAction = 2, kByEither = 3;
  if (options == kAllCommands) return good(all_commands(offered, timeouts), allocation_length);
  if (options > kByEither) return invalid_cdb_field(2);

  const OfferedCommand* found = nullptr;
  for (const OfferedCommand& one : offered) {
    if (one.shape.opcode() != opcode) continue;
    const bool has_action = one.shape.service_action.has_value();
    if (options == kByOpcode && has_action) return invalid_cdb_field(2);
    if (options == kByAction && !has_action) return invalid_cdb_field(2);
    if (one.shape.service_action.value_or(0) == action || options == kByOpcode) found = &one;
  }
  return good(one_command(found, timeouts), allocation_length);
}

}  // namespace platter::virtual_drive

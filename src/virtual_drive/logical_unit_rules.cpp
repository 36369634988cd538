// The commands that a virtual drive knows: the table by which it answers, and of which it tells.

#include "scsi/bytes.h"
#include "virtual_drive/logical_unit.h"
#include "virtual_drive/logical_unit_rule.h"
#include "virtual_drive/supported_opcodes.h"

namespace platter::virtual_drive {
namespace {

constexpr std::uint8_t kAnyByte = 0xff;
constexpr std::uint8_t kControlByte = 0xc0;  // the vendor's bits; NACA is not offered
constexpr std::uint8_t kGroupNumber = 0x1f;  // a group number is taken, and does nothing
constexpr std::uint8_t kForceUnitAccess = 0x08, kDpoOrFua = 0x18, kDpoOrCompare = 0x16,
                       kImmed = 0x02;

// The commands that name blocks have the same forms (SBC-3 clause 5.1).
constexpr CommandShape blocks_10(std::uint8_t opcode, std::uint8_t flags, std::uint8_t group) {
  return command_shape({opcode, flags, kAnyByte, kAnyByte, kAnyByte, kAnyByte, group, kAnyByte,
                        kAnyByte, kControlByte});
}

constexpr CommandShape blocks_12(std::uint8_t opcode, std::uint8_t flags) {
  return command_shape({opcode, flags, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte,
                        kAnyByte, kAnyByte, kGroupNumber, kControlByte});
}

constexpr CommandShape blocks_16(std::uint8_t opcode, std::uint8_t flags) {
  return command_shape({opcode, flags, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte,
                        kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kGroupNumber,
                        kControlByte});
}

constexpr CommandShape service_action_16(std::uint8_t action, std::uint8_t last) {
  return with_service_action(command_shape({0x9e, action, kAnyByte, kAnyByte, kAnyByte, kAnyByte,
                                            kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte,
                                            kAnyByte, kAnyByte, kAnyByte, last, kControlByte}));
}

constexpr std::uint8_t kZbcOut = 0x94, kZbcIn = 0x95;

// Of the zone that begins at an LBN; the count of zones, which ZBC-2 adds, is not known.
constexpr CommandShape zbc_out(std::uint8_t action) {
  return with_service_action(
      command_shape({kZbcOut, action, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte,
                     kAnyByte, kAnyByte, 0, 0, 0, 0, 0x01, kControlByte}));
}

constexpr CommandShape zbc_in(std::uint8_t action) {
  constexpr std::uint8_t kPartialAndOptions = 0xbf;
  return with_service_action(command_shape(
      {kZbcIn, action, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte,
       kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kPartialAndOptions, kControlByte}));
}

}  // namespace

const std::vector<LogicalUnit::Rule>& LogicalUnit::rules() {
  using enum ScsiLevel;
  using enum Rule::Access;
  using U = LogicalUnit;
  using B = BlockCommands;
  static const std::vector<Rule> kRules{
      {command_shape({0x00, 0, 0, 0, 0, kControlByte}), scsi2, spc4, medium, &U::test_unit_ready},
      {command_shape({0x03, 0, 0, 0, kAnyByte, kControlByte}), scsi2, spc4, none,
       &U::request_sense},
      {command_shape({0x08, 0x1f, kAnyByte, kAnyByte, kAnyByte, kControlByte}), scsi2, spc4, medium,
       &U::on_blocks<&B::transfer>},
      {command_shape({0x0a, 0x1f, kAnyByte, kAnyByte, kAnyByte, kControlByte}), scsi2, spc4, write,
       &U::on_blocks<&B::transfer>},
      {command_shape({0x12, 0x01, kAnyByte, kAnyByte, kAnyByte, kControlByte}), scsi2, spc4, none,
       &U::inquiry},
      {command_shape({0x15, 0x11, 0, 0, kAnyByte, kControlByte}), scsi2, spc4, none,
       &U::mode_select},
      {command_shape({0x1a, 0x08, kAnyByte, kAnyByte, kAnyByte, kControlByte}), scsi2, spc4, none,
       &U::mode_sense},
      // LOEJ is not known: nothing can be ejected.
      {command_shape({0x1b, 0x01, 0, 0x0f, 0xf5, kControlByte}), spc3, spc4, none,
       &U::start_stop_unit},
      {command_shape({0x1c, 0x01, kAnyByte, kAnyByte, kAnyByte, kControlByte}), scsi2, spc4, none,
       &U::receive_diagnostic},
      {command_shape({0x1d, 0x17, 0, kAnyByte, kAnyByte, kControlByte}), scsi2, spc4, none,
       &U::send_diagnostic},
      {command_shape({0x25, 0, kAnyByte, kAnyByte, kAnyByte, kAnyByte, 0, 0, 0x01, kControlByte}),
       scsi2, spc4, medium, &U::read_capacity_10},
      {blocks_10(0x28, kDpoOrFua, 0), scsi2, spc2, medium, &U::on_blocks<&B::transfer>},
      {blocks_10(0x28, kDpoOrFua, kGroupNumber), spc3, spc4, medium, &U::on_blocks<&B::transfer>},
      {blocks_10(0x2a, kDpoOrFua, 0), scsi2, spc2, write, &U::on_blocks<&B::transfer>},
      {blocks_10(0x2a, kDpoOrFua, kGroupNumber), spc3, spc4, write, &U::on_blocks<&B::transfer>},
      {command_shape({0x2b, 0, kAnyByte, kAnyByte, kAnyByte, kAnyByte, 0, 0, 0, kControlByte}),
       scsi2, spc4, medium, &U::on_blocks<&B::seek>},
      {blocks_10(0x2e, kDpoOrCompare, kGroupNumber), spc3, spc4, write,
       &U::on_blocks<&B::write_and_verify>},
      {blocks_10(0x2f, 0x10, 0), scsi2, spc2, medium, &U::on_blocks<&B::verify>},
      {blocks_10(0x2f, kDpoOrCompare, kGroupNumber), spc3, spc4, medium, &U::on_blocks<&B::verify>},
      {blocks_10(0x34, kImmed, kGroupNumber), spc3, spc4, medium, &U::on_blocks<&B::pre_fetch>},
      {blocks_10(0x35, kImmed, 0), scsi2, spc2, medium, &U::on_blocks<&B::synchronize_cache>},
      {blocks_10(0x35, kImmed, kGroupNumber), spc3, spc4, medium,
       &U::on_blocks<&B::synchronize_cache>},
      {command_shape({0x37, 0, 0x1f, 0, 0, 0, 0, kAnyByte, kAnyByte, kControlByte}), scsi2, spc4,
       medium, &U::read_defect_data},
      // UNMAP and ANCHOR are not known: all blocks have their places.
      {blocks_10(0x41, 0, kGroupNumber), spc3, spc4, write, &U::on_blocks<&B::write_same>},
      {command_shape(
           {0x4d, 0, kAnyByte, kAnyByte, 0, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kControlByte}),
       spc3, spc4, none, &U::log_sense},
      {command_shape({0x55, 0x11, 0, 0, 0, 0, 0, kAnyByte, kAnyByte, kControlByte}), scsi2, spc4,
       none, &U::mode_select},
      {command_shape({0x5a, 0x18, kAnyByte, kAnyByte, 0, 0, 0, kAnyByte, kAnyByte, kControlByte}),
       scsi2, spc4, none, &U::mode_sense},
      {command_shape({0x85, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte,
                      kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte,
                      kControlByte}),
       scsi2, spc4, none, &U::ata_pass_through},
      {blocks_16(0x88, kDpoOrFua), spc3, spc4, medium, &U::on_blocks<&B::transfer>},
      {blocks_16(0x8a, kDpoOrFua), spc3, spc4, write, &U::on_blocks<&B::transfer>},
      {blocks_16(0x8e, kDpoOrCompare), spc3, spc4, write, &U::on_blocks<&B::write_and_verify>},
      {blocks_16(0x8f, kDpoOrCompare), spc3, spc4, medium, &U::on_blocks<&B::verify>},
      {blocks_16(0x90, kImmed), spc3, spc4, medium, &U::on_blocks<&B::pre_fetch>},
      {blocks_16(0x91, kImmed), spc3, spc4, medium, &U::on_blocks<&B::synchronize_cache>},
      {blocks_16(0x93, 0x01), spc3, spc4, write, &U::on_blocks<&B::write_same>},  // NDOB
      {zbc_out(0x01), spc3, spc4, medium, &U::act_on_zones},
      {zbc_out(0x02), spc3, spc4, write, &U::act_on_zones},
      {zbc_out(0x03), spc3, spc4, write, &U::act_on_zones},
      {zbc_out(0x04), spc3, spc4, write, &U::act_on_zones},
      {zbc_in(0x00), spc3, spc4, medium, &U::report_zones},
      {service_action_16(0x10, 0x01), spc3, spc4, medium, &U::read_capacity_16},
      {service_action_16(0x12, 0x01), spc3, spc4, medium, &U::get_lba_status},
      {command_shape(
           {0xa0, 0, kAnyByte, 0, 0, 0, kAnyByte, kAnyByte, kAnyByte, kAnyByte, 0, kControlByte}),
       spc, spc4, none, &U::report_luns},
      {command_shape({0xa1, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte, kAnyByte,
                      kAnyByte, kAnyByte, 0, kControlByte}),
       scsi2, spc4, none, &U::ata_pass_through},
      {with_service_action(command_shape({0xa3, 0x0c, 0x87, kAnyByte, kAnyByte, kAnyByte, kAnyByte,
                                          kAnyByte, kAnyByte, kAnyByte, 0, kControlByte})),
       spc3, spc4, none, &U::report_supported_opcodes},
      {blocks_12(0xa8, kDpoOrFua), spc3, spc4, medium, &U::on_blocks<&B::transfer>},
      {blocks_12(0xaa, kDpoOrFua), spc3, spc4, write, &U::on_blocks<&B::transfer>},
      {blocks_12(0xae, kDpoOrCompare), spc3, spc4, write, &U::on_blocks<&B::write_and_verify>},
      {blocks_12(0xaf, kDpoOrCompare), spc3, spc4, medium, &U::on_blocks<&B::verify>},
      {command_shape(
           {0xb7, 0x1f, 0, 0, 0, 0, kAnyByte, kAnyByte, kAnyByte, kAnyByte, 0, kControlByte}),
       spc, spc4, medium, &U::read_defect_data},
  };
  return kRules;
}

// By the drive's age, and by what its model says it has.
bool LogicalUnit::offers(const Rule& rule) const {
  if (drive_.level < rule.since || drive_.level > rule.until) return false;
  switch (rule.shape.opcode()) {
    case 0x2b:
      return drive_.firmware.seek_command;
    case 0x37:
    case 0xb7:
      return drive_.firmware.defect_list;
    case 0x85:
    case 0xa1:
      return drive_.firmware.ata;
    case kZbcOut:
    case kZbcIn:
      return drive_.has_zones;
    case 0x9e:
      return rule.shape.service_action != 0x12 || !blocks_.unwritten().none_at_first();
    default:
      return true;
  }
}

// A drive without FUA knows no such bit.
CommandShape LogicalUnit::shape_of(const Rule& rule) const {
  CommandShape shape = rule.shape;
  const std::uint8_t opcode = shape.opcode();
  const bool reads = opcode == 0x28 || opcode == 0x88 || opcode == 0xa8;
  const bool writes = opcode == 0x2a || opcode == 0x8a || opcode == 0xaa;
  if ((reads && !drive_.firmware.force_reads) || (writes && !drive_.firmware.force_writes))
    shape.usage[1] &= static_cast<std::uint8_t>(~kForceUnitAccess);
  return shape;
}

// Bits that the command does not define are reserved: a drive of any age refuses them.
Reply LogicalUnit::check_usage(const scsi::Command& command, const Rule& rule) const {
  const CommandShape shape = shape_of(rule);
  if (command.cdb_length < shape.length) return invalid_cdb_field(command.cdb_length);
  const bool lun_in_cdb = drive_.level <= ScsiLevel::spc;
  constexpr std::uint8_t kInquiryOpcode = 0x12, kRequestSenseOpcode = 0x03;
  if (lun_in_cdb && shape.length <= 10 && (command.cdb[1] & 0xe0) &&
      shape.opcode() != kInquiryOpcode && shape.opcode() != kRequestSenseOpcode)
    return check_condition(kLogicalUnitNotSupported);
  for (std::uint16_t i = 1; i < shape.length; ++i) {
    const std::uint8_t known = shape.usage[i] | (i == 1 && lun_in_cdb ? 0xe0 : 0);
    if (command.cdb[i] & ~known) return invalid_cdb_field(i);
  }
  return {};
}

// The rule for a command, or what to answer where there is none. Of SERVICE ACTION IN every drive
// has some action, and refuses the others as a wrong field; of MAINTENANCE IN hosts expect, as of
// commands, that one is known or not.
tl::expected<const LogicalUnit::Rule*, Reply> LogicalUnit::rule_for(
    const scsi::Command& command) const {
  bool other_action = false;
  for (const Rule& rule : rules()) {
    if (rule.shape.opcode() != command.opcode() || !offers(rule)) continue;
    if (!rule.shape.service_action ||
        *rule.shape.service_action == (command.cdb[1] & kServiceActionBits))
      return &rule;
    other_action = true;
  }
  constexpr std::uint8_t kServiceActionIn = 0x9e;
  if (other_action && command.opcode() >= kZbcOut && command.opcode() <= kServiceActionIn)
    return tl::unexpected(invalid_cdb_field(1));
  return tl::unexpected(check_condition(kInvalidOpcode));
}

// SPC-4 clause 6.35, out of the table by which the drive answers.
Answer LogicalUnit::report_supported_opcodes(const scsi::Command& command) {
  std::vector<OfferedCommand> offered;
  constexpr std::uint8_t kStartStopUnit = 0x1b;
  for (const Rule& rule : rules())
    if (offers(rule))
      offered.push_back({shape_of(rule), rule.access != Rule::Access::none ||
                                             rule.shape.opcode() == kStartStopUnit});
  return electronics(supported_opcodes(offered, command));
}

}  // namespace platter::virtual_drive

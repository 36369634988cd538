#include "virtual_drive/logical_unit.h"

#include <algorithm>
#include <utility>

#include "model/power.h"
#include "scsi/bytes.h"
#include "virtual_drive/identity_pages.h"
#include "virtual_drive/logical_unit_rule.h"
#include "virtual_drive/zone_commands.h"

namespace platter::virtual_drive {
namespace {

constexpr std::uint8_t kRequestSense = 0x03, kInquiry = 0x12, kModeSelect10 = 0x55,
                       kModeSense10 = 0x5a, kReportLuns = 0xa0;

// What tells the host what is the matter is answered whatever is the matter.
bool always_answered(std::uint8_t opcode) {
  return opcode == kInquiry || opcode == kReportLuns || opcode == kRequestSense;
}

}  // namespace

LogicalUnit::LogicalUnit(const model::DriveModel& model, const engine::LayoutMap& map,
                         Contents& contents)
    : drive_(personality_of(model, map)),
      map_(map),
      modes_(drive_, map),
      ata_(drive_, modes_),
      translation_(drive_, map),
      places_(drive_, map),
      contents_(contents),
      zones_(drive_.model.identity),
      blocks_(drive_, modes_, contents, zones_),
      spindle_(drive_.idle_wake_ns, drive_.spin_up_ns) {}

void LogicalUnit::reset(bool unit_attention) {
  modes_.restore_defaults();
  ata_.restore_defaults();
  translation_.forget();
  unit_attention_ = unit_attention;
}

Answer answer_of_electronics(const Personality& drive, Reply reply) {
  Answer answer;
  answer.reply = std::move(reply);
  answer.work.electronics_ns = drive.command_ns;
  return answer;
}

Answer LogicalUnit::electronics(Reply reply) const {
  return answer_of_electronics(drive_, std::move(reply));
}

Answer LogicalUnit::answer(const scsi::Command& command, std::uint32_t tag) {
  contents_.begin_command(tag);
  const std::uint8_t opcode = command.opcode();
  if (unit_attention_ && !always_answered(opcode)) {
    unit_attention_ = false;
    return electronics(check_condition(kPowerOnOrReset));
  }
  auto found = rule_for(command);
  if (!found) return electronics(std::move(found.error()));
  const Rule& rule = **found;
  Reply usage = check_usage(command, rule);
  if (usage.status != scsi::Status::good) return electronics(std::move(usage));
  const bool on_medium = rule.access != Rule::Access::none;
  if (const auto why = spindle_.not_ready(); why && on_medium)
    return electronics(check_condition(*why));
  if (rule.access == Rule::Access::write && modes_.write_protected())
    return electronics(check_condition(kSoftwareWriteProtected));
  Answer answer = (this->*rule.handler)(command);
  answer.work.keeps_rest = always_answered(opcode);
  if (on_medium && answer.work.kind != Work::Kind::electronics) {
    answer.work.before_ns += spindle_.wake_up_ns();
    rest_told_ = 0;
  }
  if (answer.work.kind == Work::Kind::rest) rest_told_ = answer.work.rest;
  return answer;
}

std::optional<Answer> LogicalUnit::refuse(const scsi::Command& command, Reply reply) const {
  if (always_answered(command.opcode())) return std::nullopt;
  return electronics(std::move(reply));
}

Answer LogicalUnit::test_unit_ready(const scsi::Command&) { return electronics({}); }

Answer LogicalUnit::request_sense(const scsi::Command& command) {
  SenseCode code = spindle_.told();
  if (code == kNoSense && rest_ > 0) code = told_of_rest();
  if (std::exchange(unit_attention_, false)) code = kPowerOnOrReset;
  if ((command.cdb[1] & 0xe0) != 0) code = kLogicalUnitNotSupported;
  return electronics(good(fixed_sense(code), command.cdb[4]));
}

Answer LogicalUnit::inquiry(const scsi::Command& command) {
  const bool vital_product = command.cdb[1] & 0x01;
  const std::uint8_t page = command.cdb[2];
  const std::uint64_t allocation_length = scsi::get_be16(&command.cdb[3]);
  if (!vital_product) {
    if (page != 0) return electronics(invalid_cdb_field(2));
    const auto lun = static_cast<std::uint8_t>(command.cdb[1] >> 5);
    return electronics(good(inquiry_data(drive_, lun), allocation_length));
  }
  constexpr std::uint8_t kAtaInformation = 0x89;
  auto data = drive_.firmware.ata && page == kAtaInformation
                  ? vpd_page(page, ata_.information_page())
                  : vital_product_data(drive_, page);
  if (!data) return electronics(invalid_cdb_field(2));
  return electronics(good(std::move(*data), allocation_length));
}

Answer LogicalUnit::mode_sense(const scsi::Command& command) {
  return electronics(command.opcode() == kModeSense10 ? modes_.sense_10(command)
                                                      : modes_.sense_6(command));
}

Answer LogicalUnit::mode_select(const scsi::Command& command) {
  const bool ten = command.opcode() == kModeSelect10;
  const auto parameters = parameter_list(command,
                                         ten ? scsi::get_be16(&command.cdb[7]) : command.cdb[4]);
  if (!parameters) return electronics(check_condition(kDataPhaseError));
  const auto before = modes_.caching_page();
  const auto timers = modes_.power_timers_ns();
  Answer answer = electronics(ten ? modes_.select_10(command, *parameters)
                                  : modes_.select_6(command, *parameters));
  answer.reply.taken = parameters->size();
  answer.work.cache_changed = modes_.caching_page() != before;
  answer.work.timers_changed = drive_.model.power && modes_.power_timers_ns() != timers;
  return answer;
}

Answer LogicalUnit::receive_diagnostic(const scsi::Command& command) {
  Answer answer = electronics(translation_.receive(command));
  if (answer.reply.data.size() > 0 && answer.reply.data[0] == 0x40)
    answer.work.electronics_ns = drive_.half_translation_ns;
  return answer;
}

Answer LogicalUnit::send_diagnostic(const scsi::Command& command) {
  const bool page_format = command.cdb[1] & 0x10, self_test = command.cdb[1] & 0x04;
  const auto parameters = parameter_list(command, scsi::get_be16(&command.cdb[3]));
  if (!parameters) return electronics(check_condition(kDataPhaseError));
  if (parameters->empty()) return electronics({});  // the default self-test finds nothing
  if (self_test || !page_format) return electronics(invalid_cdb_field(1));
  Answer answer = electronics(translation_.send(*parameters));
  answer.reply.taken = parameters->size();
  if ((*parameters)[0] == 0x40) answer.work.electronics_ns = drive_.half_translation_ns;
  return answer;
}

// The last LBN before a change of cylinder, for READ CAPACITY with PMI (SBC-2 clause 5.10): behind
// it a transfer is delayed.
std::uint64_t LogicalUnit::last_lbn_of_cylinder(std::uint64_t lbn) const {
  engine::Track track = map_.track_of_slot(map_.slot_of_lbn(lbn));
  std::uint64_t end = track.first_slot + track.sectors;
  while (end < map_.slots()) {
    const engine::Track next = map_.track_of_slot(end);
    if (next.cylinder != track.cylinder) break;
    end += next.sectors;
  }
  const std::uint64_t behind = end < map_.slots() ? map_.lbn_at_or_after_slot(end) : drive_.blocks;
  return std::max(lbn, std::min(behind, drive_.blocks) - 1);
}

Answer LogicalUnit::read_capacity_10(const scsi::Command& command) {
  const bool partial = command.cdb[8] & 0x01;  // PMI
  const std::uint32_t from = scsi::get_be32(&command.cdb[2]);
  if (!partial && from != 0) return electronics(invalid_cdb_field(2));
  if (from >= drive_.blocks) return electronics(out_of_range(from));
  const std::uint64_t last = partial ? last_lbn_of_cylinder(from) : drive_.blocks - 1;
  std::vector<std::uint8_t> data(8, 0);
  scsi::put_be(&data[0], 4, std::min<std::uint64_t>(last, 0xffffffff));
  scsi::put_be(&data[4], 4, drive_.block_bytes);
  return electronics({scsi::Status::good, {}, std::move(data), 0});
}

// SBC-3 clause 5.7: as many descriptors as there is room for.
Answer LogicalUnit::get_lba_status(const scsi::Command& command) {
  const std::uint64_t from = scsi::get_be(&command.cdb[2], 8);
  const std::uint32_t allocation_length = scsi::get_be32(&command.cdb[10]);
  if (from >= drive_.blocks) return electronics(out_of_range(from));
  if (allocation_length < 24) return electronics(invalid_cdb_field(10));
  constexpr std::uint64_t kMostBlocks = 0xffffffff;  // of one descriptor
  std::vector<std::uint8_t> data(8, 0);
  for (std::uint64_t lbn = from; lbn < drive_.blocks && data.size() + 16 <= allocation_length;) {
    const auto run = blocks_.unwritten().run_at(lbn);
    const std::uint64_t blocks = std::min(kMostBlocks, std::min(run.end, drive_.blocks) - lbn);
    std::vector<std::uint8_t> descriptor(16, 0);
    scsi::put_be(&descriptor[0], 8, lbn);
    scsi::put_be(&descriptor[8], 4, blocks);
    descriptor[12] = run.unwritten ? 1 : 0;
    data.insert(data.end(), descriptor.begin(), descriptor.end());
    lbn += blocks;
  }
  scsi::put_be(&data[0], 4, data.size() - 4);
  return electronics(good(std::move(data), allocation_length));
}

Answer LogicalUnit::report_zones(const scsi::Command& command) {
  return electronics(virtual_drive::report_zones(zones_, command));
}

Answer LogicalUnit::act_on_zones(const scsi::Command& command) {
  Answer answer = electronics(virtual_drive::act_on_zones(zones_, command));
  for (const LbnRange& zone : zones_.take_emptied())
    contents_.forget(zone.first, zone.last - zone.first + 1);
  return answer;
}

Answer LogicalUnit::ata_pass_through(const scsi::Command& command) {
  const auto before = modes_.cache_settings();
  Answer answer = electronics(ata_.pass_through(command));
  const auto after = modes_.cache_settings();
  answer.work.cache_changed = before.write_cache != after.write_cache ||
                              before.read_ahead != after.read_ahead;
  return answer;
}

Answer LogicalUnit::read_capacity_16(const scsi::Command& command) {
  if ((command.cdb[14] & 0x01) || scsi::get_be(&command.cdb[2], 8) != 0)
    return electronics(invalid_cdb_field(2));
  std::vector<std::uint8_t> data(32, 0);
  scsi::put_be(&data[0], 8, drive_.blocks - 1);
  scsi::put_be(&data[8], 4, drive_.block_bytes);
  std::uint32_t in_physical = drive_.model.identity.physical_block_bytes / drive_.block_bytes;
  for (; in_physical > 1; in_physical /= 2) ++data[13];  // logical blocks per physical, as a power
  constexpr std::uint8_t kOfAllZones = 0x10;             // RC BASIS, ZBC-2
  if (drive_.host_managed) data[12] = kOfAllZones;
  if (!blocks_.unwritten().none_at_first()) data[14] = 0xc0;  // LBPME, LBPRZ: they read as zeros
  return electronics(good(std::move(data), scsi::get_be32(&command.cdb[10])));
}

SenseCode LogicalUnit::told_of_rest() const {
  return kRests[rest_ - 1][rest_ == rest_told_ ? 1 : 0];
}

// Of a drive whose model has power conditions: the one that is asked for, if it has that.
Answer LogicalUnit::rest_by_command(std::uint8_t asked, std::uint8_t modifier, Work work) const {
  constexpr std::uint8_t kIdle = 2, kForceIdle = 10, kIdles = 3, kStandbyZ = 4;
  const bool idle = asked == kIdle || asked == kForceIdle;
  if (modifier >= (idle ? kIdles : 2)) return electronics(invalid_cdb_field(3));
  const std::size_t condition = idle ? modifier : kStandbyZ - modifier;
  if (!is_there((*drive_.model.power).*model::kPowerConditions[condition].wake))
    return electronics(invalid_cdb_field(3));
  Answer answer = electronics({});
  work.electronics_ns = answer.work.electronics_ns;
  answer.work = work;
  answer.work.kind = Work::Kind::rest;
  answer.work.rest = static_cast<std::uint32_t>(condition + 1);
  answer.work.flush &= !idle;
  return answer;
}

// SBC-3 clause 5.24. The power conditions are those of mode page 1Ah; a drive without it has none.
Answer LogicalUnit::start_stop_unit(const scsi::Command& command) {
  using enum Spindle::Condition;
  const bool immediate = command.cdb[1] & 0x01, start = command.cdb[4] & 0x01,
             no_flush = command.cdb[4] & 0x04;
  const std::uint8_t asked = command.cdb[4] >> 4, modifier = command.cdb[3] & 0x0f;
  constexpr std::uint8_t kByStart = 0, kActive = 1, kIdle = 2, kStandby = 3, kByTimers = 7,
                         kForceIdle = 10, kForceStandby = 11;
  constexpr std::uint8_t kIdleC = 2, kStandbyY = 1;  // the deepest of each
  if (asked != kByStart && !modes_.has_power_conditions()) return electronics(invalid_cdb_field(4));
  Spindle::Condition condition = active;
  std::uint8_t deepest = 0;
  switch (asked) {
    case kByStart:
      condition = start ? active : stopped;
      deepest = 0x0f;  // not looked at
      break;
    case kActive:
      break;
    case kIdle:
    case kForceIdle:
      condition = idle;
      deepest = kIdleC;
      break;
    case kStandby:
    case kForceStandby:
      condition = standby;
      deepest = kStandbyY;
      break;
    case kByTimers:  // as far as these change anything, they do it anyway
      return modifier == 0 ? electronics({}) : electronics(invalid_cdb_field(3));
    default:
      return electronics(invalid_cdb_field(4));
  }
  const bool has_conditions = drive_.model.power.has_value();
  if (has_conditions && (condition == idle || condition == standby))
    return rest_by_command(asked, modifier, {.immediate = immediate, .flush = !no_flush});
  if (modifier > deepest) return electronics(invalid_cdb_field(3));

  const bool rests = condition == stopped || condition == standby;
  Answer answer = rests && !no_flush ? blocks_.synchronized(immediate) : electronics({});
  answer.work.spin_up_ns = spindle_.go_to(condition);
  if (answer.work.spin_up_ns > 0)
    answer.work.kind = Work::Kind::spin_up;
  else if (has_conditions && condition == active)
    answer.work.kind = Work::Kind::rest;
  answer.work.immediate = immediate;
  return answer;
}

Answer LogicalUnit::log_sense(const scsi::Command& command) {
  return electronics(log_data({spindle_.starts()}, command));
}

Answer LogicalUnit::read_defect_data(const scsi::Command& command) {
  if (!defects_) defects_ = defects_of(drive_.model);
  return electronics(defect_data(*defects_, places_, drive_.firmware.defect_formats, command));
}

Answer LogicalUnit::report_luns(const scsi::Command& command) {
  const std::uint32_t allocation_length = scsi::get_be32(&command.cdb[6]);
  if (command.cdb[2] > 2) return electronics(invalid_cdb_field(2));
  if (allocation_length < 16) return electronics(invalid_cdb_field(6));
  std::vector<std::uint8_t> data(16, 0);  // one logical unit, number 0
  scsi::put_be(&data[0], 4, command.cdb[2] == 1 ? 0 : 8);
  if (command.cdb[2] == 1) data.resize(8);  // well-known logical units: none
  return electronics(good(std::move(data), allocation_length));
}

}  // namespace platter::virtual_drive

#include "virtual_drive/logical_unit.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "scsi/bytes.h"
#include "virtual_drive/identity_pages.h"

namespace platter::virtual_drive {
namespace {

constexpr std::uint8_t kRequestSense = 0x03, kInquiry = 0x12, kModeSelect10 = 0x55,
                       kModeSense10 = 0x5a, kReportLuns = 0xa0;

// What tells the host what is the matter is answered whatever is the matter.
bool always_answered(std::uint8_t opcode) {
  return opcode == kInquiry || opcode == kReportLuns || opcode == kRequestSense;
}

// LBN, blocks and flags of READ and WRITE (SBC-3 clauses 5.10 to 5.14, 5.26 to 5.30).
Work transfer_work(const scsi::Command& command) {
  Work work;
  work.kind = Work::Kind::media;
  work.write = (command.opcode() & 0x1f) == 0x0a;
  const std::uint8_t* cdb = command.cdb.data();
  switch (command.opcode() >> 5) {
    case 0:
      work.lbn = static_cast<std::uint32_t>(scsi::get_be(cdb + 1, 3)) & 0x1fffff;
      work.blocks = cdb[4] == 0 ? 256 : cdb[4];
      return work;
    case 1:
      work.lbn = scsi::get_be32(cdb + 2);
      work.blocks = scsi::get_be16(cdb + 7);
      break;
    default:
      work.lbn = scsi::get_be(cdb + 2, 8);
      work.blocks = scsi::get_be32(cdb + 10);
      break;
  }
  work.force_unit_access = cdb[1] & 0x08;
  return work;
}

// The first LBN of a range that the drive does not have.
std::optional<std::uint64_t> first_outside(std::uint64_t lbn, std::uint64_t blocks,
                                           std::uint64_t capacity) {
  if (lbn > capacity || (lbn == capacity && blocks > 0)) return lbn;
  if (blocks > capacity - lbn) return capacity;
  return std::nullopt;
}

}  // namespace

// One command: the bits of its CDB that it knows (byte 0 is the opcode; all others must be 0), the
// ages of drive that offer it, and who answers.
struct LogicalUnit::Rule {
  std::uint8_t opcode;
  std::uint8_t length;
  std::array<std::uint8_t, 16> usage;
  ScsiLevel since;
  Answer (LogicalUnit::*handler)(const scsi::Command&);
};

const std::vector<LogicalUnit::Rule>& LogicalUnit::rules() {
  using L = ScsiLevel;
  using U = LogicalUnit;
  constexpr std::uint8_t kAll = 0xff, kControl = 0xc0;
  static const std::vector<Rule> kRules{
      {0x00, 6, {0, 0, 0, 0, 0, kControl}, L::scsi2, &U::test_unit_ready},
      {0x03, 6, {0, 0, 0, 0, kAll, kControl}, L::scsi2, &U::request_sense},
      {0x08, 6, {0, 0x1f, kAll, kAll, kAll, kControl}, L::scsi2, &U::transfer},
      {0x0a, 6, {0, 0x1f, kAll, kAll, kAll, kControl}, L::scsi2, &U::transfer},
      {0x12, 6, {0, 0x01, kAll, kAll, kAll, kControl}, L::scsi2, &U::inquiry},
      {0x15, 6, {0, 0x11, 0, 0, kAll, kControl}, L::scsi2, &U::mode_select},
      {0x1a, 6, {0, 0x08, kAll, kAll, kAll, kControl}, L::scsi2, &U::mode_sense},
      {0x1c, 6, {0, 0x01, kAll, kAll, kAll, kControl}, L::scsi2, &U::receive_diagnostic},
      {0x1d, 6, {0, 0x17, 0, kAll, kAll, kControl}, L::scsi2, &U::send_diagnostic},
      {0x25,
       10,
       {0, 0, kAll, kAll, kAll, kAll, 0, 0, 0x01, kControl},
       L::scsi2,
       &U::read_capacity_10},
      {0x28,
       10,
       {0, 0x18, kAll, kAll, kAll, kAll, 0, kAll, kAll, kControl},
       L::scsi2,
       &U::transfer},
      {0x2a,
       10,
       {0, 0x18, kAll, kAll, kAll, kAll, 0, kAll, kAll, kControl},
       L::scsi2,
       &U::transfer},
      {0x2b, 10, {0, 0, kAll, kAll, kAll, kAll, 0, 0, 0, kControl}, L::scsi2, &U::seek},
      {0x2f, 10, {0, 0x10, kAll, kAll, kAll, kAll, 0, kAll, kAll, kControl}, L::scsi2, &U::verify},
      {0x35,
       10,
       {0, 0x02, kAll, kAll, kAll, kAll, 0, kAll, kAll, kControl},
       L::scsi2,
       &U::synchronize_cache},
      {0x37, 10, {0, 0, 0x1f, 0, 0, 0, 0, kAll, kAll, kControl}, L::scsi2, &U::read_defect_data},
      {0x55, 10, {0, 0x11, 0, 0, 0, 0, 0, kAll, kAll, kControl}, L::scsi2, &U::mode_select},
      {0x5a, 10, {0, 0x18, kAll, kAll, 0, 0, 0, kAll, kAll, kControl}, L::scsi2, &U::mode_sense},
      {0x88,
       16,
       {0, 0x18, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, 0,
        kControl},
       L::spc3,
       &U::transfer},
      {0x8a,
       16,
       {0, 0x18, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, 0,
        kControl},
       L::spc3,
       &U::transfer},
      {0x8f,
       16,
       {0, 0x10, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, 0,
        kControl},
       L::spc3,
       &U::verify},
      {0x9e,
       16,
       {0, 0x1f, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, 0x01,
        kControl},
       L::spc3,
       &U::service_action_in},
      {0x85,
       16,
       {0, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll,
        kControl},
       L::scsi2,
       &U::ata_pass_through},
      {0xa1,
       12,
       {0, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll, 0, kControl},
       L::scsi2,
       &U::ata_pass_through},
      {0xa0,
       12,
       {0, 0, kAll, 0, 0, 0, kAll, kAll, kAll, kAll, 0, kControl},
       L::spc,
       &U::report_luns},
      {0xb7,
       12,
       {0, 0x1f, 0, 0, 0, 0, kAll, kAll, kAll, kAll, 0, kControl},
       L::spc,
       &U::read_defect_data},
  };
  return kRules;
}

LogicalUnit::LogicalUnit(const model::DriveModel& model, const engine::LayoutMap& map,
                         Contents& contents)
    : drive_(personality_of(model, map)),
      map_(map),
      modes_(drive_, map),
      ata_(drive_, modes_),
      translation_(drive_, map),
      places_(drive_, map),
      contents_(contents),
      unwritten_(drive_.firmware.unwritten) {
  if (!model.imperfections) return;
  medium_errors_ = model.imperfections->medium_errors;
  std::ranges::sort(medium_errors_);
}

void LogicalUnit::reset(bool unit_attention) {
  modes_.restore_defaults();
  ata_.restore_defaults();
  translation_.forget();
  unit_attention_ = unit_attention;
}

Answer LogicalUnit::electronics(Reply reply) const {
  Answer answer;
  answer.reply = std::move(reply);
  answer.work.electronics_ns = drive_.command_ns;
  return answer;
}

// Bits that the command does not define are reserved: a drive of any age refuses them.
Reply LogicalUnit::check_usage(const scsi::Command& command, const Rule& rule) const {
  if (command.cdb_length < rule.length) return invalid_cdb_field(command.cdb_length);
  const bool lun_in_cdb = drive_.level <= ScsiLevel::spc;
  if (lun_in_cdb && rule.length <= 10 && (command.cdb[1] & 0xe0) && rule.opcode != kInquiry &&
      rule.opcode != kRequestSense)
    return check_condition(kLogicalUnitNotSupported);
  for (std::uint16_t i = 1; i < rule.length; ++i) {
    const std::uint8_t known = rule.usage[i] | (i == 1 && lun_in_cdb ? 0xe0 : 0);
    if (command.cdb[i] & ~known) return invalid_cdb_field(i);
  }
  return {};
}

Answer LogicalUnit::answer(const scsi::Command& command) {
  const std::uint8_t opcode = command.opcode();
  if (unit_attention_ && !always_answered(opcode)) {
    unit_attention_ = false;
    return electronics(check_condition(kPowerOnOrReset));
  }
  const auto rule = std::ranges::find(rules(), opcode, &Rule::opcode);
  const bool ata = opcode == 0x85 || opcode == 0xa1;
  if (rule == rules().end() || rule->since > drive_.level || (ata && !drive_.firmware.ata))
    return electronics(check_condition(kInvalidOpcode));
  Reply usage = check_usage(command, *rule);
  if (usage.status != scsi::Status::good) return electronics(std::move(usage));
  return (this->*rule->handler)(command);
}

std::optional<Answer> LogicalUnit::refuse(const scsi::Command& command, Reply reply) const {
  if (always_answered(command.opcode())) return std::nullopt;
  return electronics(std::move(reply));
}

Answer LogicalUnit::test_unit_ready(const scsi::Command&) { return electronics({}); }

Answer LogicalUnit::request_sense(const scsi::Command& command) {
  SenseCode code = kNoSense;
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

namespace {

// The parameter list that the CDB announces; nullopt if the host has not sent so much.
std::optional<std::span<const std::uint8_t>> parameter_list(const scsi::Command& command,
                                                            std::size_t length) {
  if (length == 0) return std::span<const std::uint8_t>{};
  if (command.direction != scsi::Direction::to_device || command.data.size() < length)
    return std::nullopt;
  return std::span(command.data).first(length);
}

}  // namespace

Answer LogicalUnit::mode_select(const scsi::Command& command) {
  const bool ten = command.opcode() == kModeSelect10;
  const auto parameters = parameter_list(command,
                                         ten ? scsi::get_be16(&command.cdb[7]) : command.cdb[4]);
  if (!parameters) return electronics(check_condition(kDataPhaseError));
  const auto before = modes_.caching_page();
  Answer answer = electronics(ten ? modes_.select_10(command, *parameters)
                                  : modes_.select_6(command, *parameters));
  answer.reply.taken = parameters->size();
  answer.work.cache_changed = modes_.caching_page() != before;
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

Answer LogicalUnit::service_action_in(const scsi::Command& command) {
  switch (command.cdb[1] & 0x1f) {
    case 0x10:
      return read_capacity_16(command);
    case 0x12:
      if (!unwritten_.none_at_first()) return get_lba_status(command);
      break;
  }
  return electronics(invalid_cdb_field(1));
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
    const auto run = unwritten_.run_at(lbn);
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
  if (!unwritten_.none_at_first()) data[14] = 0xc0;      // LBPME, LBPRZ: they read as zeros
  return electronics(good(std::move(data), scsi::get_be32(&command.cdb[10])));
}

Answer LogicalUnit::transfer(const scsi::Command& command) {
  const Work work = transfer_work(command);
  if (const auto outside = first_outside(work.lbn, work.blocks, drive_.blocks))
    return electronics(out_of_range(*outside));
  if (work.blocks > drive_.most_transfer_blocks) {
    const std::uint16_t kLengthAt[] = {4, 7, 10, 10, 10, 10, 10, 10};  // by the CDB's length
    return electronics(invalid_cdb_field(kLengthAt[command.opcode() >> 5]));
  }
  if (work.blocks == 0) return electronics({});
  return work.write ? write_blocks(command, work) : read_blocks(command, work);
}

Answer LogicalUnit::read_blocks(const scsi::Command& command, Work work) {
  if (command.direction == scsi::Direction::to_device)
    return electronics(check_condition(kDataPhaseError));
  Answer answer;
  std::uint64_t readable = work.blocks;
  const auto bad = std::ranges::lower_bound(medium_errors_, work.lbn);
  if (bad != medium_errors_.end() && *bad - work.lbn < work.blocks) {
    readable = *bad - work.lbn;
    work.blocks = static_cast<std::uint32_t>(readable + 1);
    work.force_unit_access = true;  // the drive has never had that sector in its cache
    work.lost_revolutions = modes_.read_retries();
    answer.reply = {scsi::Status::check_condition, fixed_sense(kUnrecoveredReadError, *bad), {}, 0};
  }
  const std::uint64_t taken = command.direction == scsi::Direction::from_device
                                  ? command.transfer_length
                                  : 0;
  if (const std::uint64_t bytes = std::min(readable * drive_.block_bytes, taken);
      command.keep_data) {
    answer.reply.data.resize(static_cast<std::size_t>(bytes));
    contents_.read(work.lbn, answer.reply.data);
    unwritten_.clear(work.lbn, drive_.block_bytes, answer.reply.data);
  } else {
    answer.reply.given = bytes;
  }
  if (unwritten_.holds(work.lbn, work.blocks)) {  // no arm moves, nothing goes through the cache
    answer.work.electronics_ns = drive_.command_ns + work.blocks * drive_.block_transfer_ns;
    return answer;
  }
  answer.work = work;
  return answer;
}

// SBC-3, VERIFY with BYTCHK = 0: the medium is read, past the cache, and nothing is sent.
Answer LogicalUnit::verify(const scsi::Command& command) {
  Work work = transfer_work(command);
  work.write = work.force_unit_access = false;
  work.verify = true;
  if (const auto outside = first_outside(work.lbn, work.blocks, drive_.blocks))
    return electronics(out_of_range(*outside));
  return work.blocks == 0 ? electronics({}) : read_blocks(command, work);
}

Answer LogicalUnit::write_blocks(const scsi::Command& command, Work work) {
  const std::size_t bytes = static_cast<std::size_t>(work.blocks) * drive_.block_bytes;
  if (command.keep_data) {
    const auto data = parameter_list(command, bytes);
    if (!data) return electronics(check_condition(kDataPhaseError));
    contents_.write(work.lbn, *data);
  } else if (command.direction != scsi::Direction::to_device || command.transfer_length < bytes) {
    return electronics(check_condition(kDataPhaseError));
  }
  unwritten_.write(work.lbn, work.blocks);
  Answer answer;
  answer.reply.taken = bytes;
  answer.work = work;
  return answer;
}

Answer LogicalUnit::seek(const scsi::Command& command) {
  if (!drive_.firmware.seek_command) return electronics(check_condition(kInvalidOpcode));
  Answer answer;
  answer.work.kind = Work::Kind::seek;
  answer.work.lbn = scsi::get_be32(&command.cdb[2]);
  if (answer.work.lbn >= drive_.blocks) return electronics(out_of_range(answer.work.lbn));
  return answer;
}

Answer LogicalUnit::synchronize_cache(const scsi::Command& command) {
  const std::uint64_t lbn = scsi::get_be32(&command.cdb[2]);
  if (const auto outside = first_outside(lbn, scsi::get_be16(&command.cdb[7]), drive_.blocks))
    return electronics(out_of_range(*outside));
  Answer answer = electronics({});
  answer.work.kind = Work::Kind::synchronize;
  if (drive_.model.cache.synchronize)
    answer.work.electronics_ns = from_ms(std::max(0.0, *drive_.model.cache.synchronize.value));
  answer.work.immediate = command.cdb[1] & 0x02;
  return answer;
}

Answer LogicalUnit::read_defect_data(const scsi::Command& command) {
  if (!drive_.firmware.defect_list) return electronics(check_condition(kInvalidOpcode));
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

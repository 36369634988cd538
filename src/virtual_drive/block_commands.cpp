#include "virtual_drive/block_commands.h"

#include <algorithm>
#include <utility>

#include "model/stand_ins.h"
#include "scsi/bytes.h"

namespace platter::virtual_drive {
namespace {

// The first LBN of a range that the drive does not have.
std::optional<std::uint64_t> first_outside(std::uint64_t lbn, std::uint64_t blocks,
                                           std::uint64_t capacity) {
  if (lbn > capacity || (lbn == capacity && blocks > 0)) return lbn;
  if (blocks > capacity - lbn) return capacity;
  return std::nullopt;
}

// LBN, blocks and FUA of the commands that name blocks: the group of the opcode tells the form.
Work transfer_work(const scsi::Command& command) {
  Work work;
  work.kind = Work::Kind::media;
  work.write = (command.opcode() & 0x1f) == 0x0a;
  const std::uint8_t* cdb = command.cdb.data();
  constexpr int kTwelve = 5;
  switch (command.opcode() >> 5) {
    case 0:
      work.lbn = static_cast<std::uint32_t>(scsi::get_be(cdb + 1, 3)) & 0x1fffff;
      work.blocks = cdb[4] == 0 ? 256 : cdb[4];
      return work;
    case 1:
    case 2:
      work.lbn = scsi::get_be32(cdb + 2);
      work.blocks = scsi::get_be16(cdb + 7);
      break;
    case kTwelve:
      work.lbn = scsi::get_be32(cdb + 2);
      work.blocks = scsi::get_be32(cdb + 6);
      break;
    default:
      work.lbn = scsi::get_be(cdb + 2, 8);
      work.blocks = scsi::get_be32(cdb + 10);
      break;
  }
  work.force_unit_access = cdb[1] & 0x08;
  return work;
}

// Where the number of blocks stands in the CDB.
Answer too_many_blocks(const scsi::Command& command, Answer answer) {
  constexpr std::uint16_t kLengthAt[] = {4, 7, 7, 10, 10, 6, 10, 10};  // by the CDB's form
  answer.reply = invalid_cdb_field(kLengthAt[command.opcode() >> 5]);
  return answer;
}

// BYTCHK (SBC-3 clause 5.31): nothing is compared; all blocks are; one with each of them.
constexpr std::uint8_t kMediumOnly = 0, kEachWithItsOwn = 1, kEachWithOne = 3;
std::uint8_t byte_check(const scsi::Command& command) { return (command.cdb[1] >> 1) & 0x03; }

}  // namespace

BlockCommands::BlockCommands(const Personality& drive, const ModePages& modes, Contents& contents,
                             ZoneList& zones)
    : drive_(drive),
      modes_(modes),
      contents_(contents),
      zones_(zones),
      unwritten_(drive.firmware.unwritten) {
  if (!drive.model.imperfections) return;
  medium_errors_ = drive.model.imperfections->medium_errors;
  std::ranges::sort(medium_errors_);
}

std::vector<std::uint8_t> BlockCommands::buffer(std::size_t bytes) {
  std::vector<std::uint8_t> data;
  if (!spare_.empty()) {
    data = std::move(spare_.back());
    spare_.pop_back();
  }
  data.resize(bytes);
  return data;
}

void BlockCommands::reuse(std::vector<std::uint8_t> data) {
  constexpr std::size_t kMostKept = 64, kMostBytes = 1U << 20;  // larger ones are rare
  if (data.capacity() > 0 && data.capacity() <= kMostBytes && spare_.size() < kMostKept)
    spare_.push_back(std::move(data));
}

Answer BlockCommands::electronics(Reply reply) const {
  return answer_of_electronics(drive_, std::move(reply));
}

Answer BlockCommands::transfer(const scsi::Command& command) {
  const Work work = transfer_work(command);
  if (const auto outside = first_outside(work.lbn, work.blocks, drive_.blocks))
    return electronics(out_of_range(*outside));
  if (work.blocks > drive_.most_transfer_blocks) return too_many_blocks(command, electronics({}));
  if (work.blocks == 0) return electronics({});
  return work.write ? write_blocks(command, work) : read_blocks(command, work);
}

// The drive tries that block as often as mode page 01h says, and gives up.
bool BlockCommands::stop_at_medium_error(Work& work, Reply& reply) const {
  const auto bad = std::ranges::lower_bound(medium_errors_, work.lbn);
  if (bad == medium_errors_.end() || *bad - work.lbn >= work.blocks) return false;
  work.blocks = static_cast<std::uint32_t>(*bad - work.lbn + 1);
  work.lost_revolutions = modes_.read_retries();
  reply.status = scsi::Status::check_condition;
  reply.sense = fixed_sense(kUnrecoveredReadError, *bad);
  return true;
}

Answer BlockCommands::read_blocks(const scsi::Command& command, Work work) {
  if (command.direction == scsi::Direction::to_device)
    return electronics(check_condition(kDataPhaseError));
  if (const auto why = zones_.read(work.lbn, work.blocks))
    return electronics(check_condition(*why));
  Answer answer;
  std::uint64_t readable = work.blocks;
  if (stop_at_medium_error(work, answer.reply)) {
    readable = work.blocks - 1;
    work.force_unit_access = true;  // the drive has never had that sector in its cache
  }
  const std::uint64_t taken = command.direction == scsi::Direction::from_device
                                  ? command.transfer_length
                                  : 0;
  if (const std::uint64_t bytes = std::min(readable * drive_.block_bytes, taken);
      command.keep_data) {
    answer.reply.data = buffer(static_cast<std::size_t>(bytes));
    if (!contents_.read(work.lbn, answer.reply.data))
      return electronics(check_condition(kInternalTargetFailure));
    clear_unwritten(work.lbn, answer.reply.data);
  } else {
    answer.reply.given = bytes;
  }
  if (nothing_on_media(work.lbn, work.blocks)) {  // no arm moves, nothing goes through the cache
    answer.work.electronics_ns = drive_.command_ns + work.blocks * drive_.block_transfer_ns;
    return answer;
  }
  answer.work = work;
  return answer;
}

// With BYTCHK = 0 the medium is read, past the cache, and nothing is sent.
Answer BlockCommands::verify(const scsi::Command& command) {
  Work work = transfer_work(command);
  work.write = work.force_unit_access = false;
  work.verify = true;
  const std::uint8_t check = byte_check(command);
  if (check != kMediumOnly && check != kEachWithItsOwn && check != kEachWithOne)
    return electronics(invalid_cdb_field(1));
  if (const auto outside = first_outside(work.lbn, work.blocks, drive_.blocks))
    return electronics(out_of_range(*outside));
  if (work.blocks == 0) return electronics({});
  return check == kMediumOnly ? read_blocks(command, work) : compare(command, work, check);
}

// The data come over the bus first, then the medium is read, with all that it takes to give a block
// up, and compared with them: the time is the same whatever the blocks hold.
Answer BlockCommands::compare(const scsi::Command& command, Work work, std::uint8_t check) {
  const std::uint32_t sent = check == kEachWithOne ? 1 : work.blocks;
  const std::uint32_t most = check == kEachWithOne ? drive_.most_same_blocks
                                                   : drive_.most_transfer_blocks;
  if (work.blocks > most) return too_many_blocks(command, electronics({}));
  const std::size_t bytes = static_cast<std::size_t>(sent) * drive_.block_bytes;
  if (!has_sent(command, bytes)) return electronics(check_condition(kDataPhaseError));
  if (const auto why = zones_.read(work.lbn, work.blocks))
    return electronics(check_condition(*why));
  Answer answer;
  answer.reply.taken = bytes;
  work.before_ns = sent * drive_.block_from_host_ns;
  const bool unreadable = stop_at_medium_error(work, answer.reply);
  if (command.keep_data) {
    const std::uint32_t readable = work.blocks - (unreadable ? 1 : 0);
    const auto data = std::span(command.data).first(bytes);
    const auto compared = first_difference(work.lbn, readable, data);
    if (!compared) return electronics(check_condition(kInternalTargetFailure));
    if (const auto other = *compared) {
      answer.reply = miscompare(*other);
      answer.reply.taken = bytes;
    }
  }
  if (nothing_on_media(work.lbn, work.blocks)) {
    answer.work.electronics_ns = drive_.command_ns + work.before_ns;
    return answer;
  }
  answer.work = work;
  return answer;
}

// The first of the blocks that is not as `data` say, which are as many blocks, or one for all.
BlockCommands::Compared BlockCommands::first_difference(std::uint64_t lbn, std::uint32_t blocks,
                                                        std::span<const std::uint8_t> data) const {
  std::vector<std::uint8_t> held(drive_.block_bytes);
  for (std::uint32_t i = 0; i < blocks; ++i) {
    if (!contents_.read(lbn + i, held)) return tl::unexpected(ContentsFailed{});
    clear_unwritten(lbn + i, held);
    const std::size_t at = data.size() == held.size() ? 0 : std::size_t{i} * held.size();
    if (!std::ranges::equal(held, data.subspan(at, held.size()))) return lbn + i;
  }
  return std::optional<std::uint64_t>();
}

// Of a command that only the time of matters the bytes may be missing, but not their number.
bool BlockCommands::has_sent(const scsi::Command& command, std::size_t bytes) {
  if (command.keep_data) return parameter_list(command, bytes).has_value();
  return command.direction == scsi::Direction::to_device && command.transfer_length >= bytes;
}

Answer BlockCommands::write_blocks(const scsi::Command& command, Work work) {
  const std::size_t bytes = static_cast<std::size_t>(work.blocks) * drive_.block_bytes;
  if (!has_sent(command, bytes)) return electronics(check_condition(kDataPhaseError));
  if (const auto why = zones_.write(work.lbn, work.blocks))
    return electronics(check_condition(*why));
  if (command.keep_data && !contents_.write(work.lbn, std::span(command.data).first(bytes)))
    return electronics(check_condition(kInternalTargetFailure));
  if (work.force_unit_access) contents_.keep();
  unwritten_.write(work.lbn, work.blocks);
  Answer answer;
  answer.reply.taken = bytes;
  answer.work = work;
  return answer;
}

// What was written is read back before the answer; with BYTCHK = 1 it is also compared, which
// finds nothing: the medium holds what it is given, or cannot be read at all.
Answer BlockCommands::write_and_verify(const scsi::Command& command) {
  Work work = transfer_work(command);
  work.kind = Work::Kind::write_and_verify;
  work.write = work.force_unit_access = true;
  if (byte_check(command) > kEachWithItsOwn) return electronics(invalid_cdb_field(1));
  if (const auto outside = first_outside(work.lbn, work.blocks, drive_.blocks))
    return electronics(out_of_range(*outside));
  if (work.blocks > drive_.most_transfer_blocks) return too_many_blocks(command, electronics({}));
  if (work.blocks == 0) return electronics({});
  Answer answer = write_blocks(command, work);
  if (answer.reply.status != scsi::Status::good) return answer;
  Work read_back = answer.work;
  stop_at_medium_error(read_back, answer.reply);
  answer.work.lost_revolutions = read_back.lost_revolutions;
  return answer;
}

// One block for all (SBC-3 clauses 5.40 and 5.41): it comes over the bus once, or with NDOB not at
// all, and the answer waits for the medium.
Answer BlockCommands::write_same(const scsi::Command& command) {
  constexpr std::uint8_t kSixteen = 0x93;
  const bool no_data = command.opcode() == kSixteen && (command.cdb[1] & 0x01);  // NDOB
  Work work = transfer_work(command);
  work.write = work.force_unit_access = work.same = true;
  const bool to_the_end = work.blocks == 0;
  if (const auto outside = first_outside(work.lbn, to_the_end ? 1 : work.blocks, drive_.blocks))
    return electronics(out_of_range(*outside));
  const std::uint64_t blocks = to_the_end ? drive_.blocks - work.lbn : work.blocks;
  if (blocks > drive_.most_same_blocks) return too_many_blocks(command, electronics({}));
  work.blocks = static_cast<std::uint32_t>(blocks);
  const std::size_t bytes = no_data ? 0 : drive_.block_bytes;
  if (!no_data && !has_sent(command, bytes)) return electronics(check_condition(kDataPhaseError));
  if (const auto why = zones_.write(work.lbn, work.blocks))
    return electronics(check_condition(*why));
  if (command.keep_data) {
    const std::vector<std::uint8_t> zeros(no_data ? drive_.block_bytes : 0);
    const auto block = no_data ? std::span(zeros) : std::span(command.data).first(bytes);
    if (!write_each(work.lbn, work.blocks, block))
      return electronics(check_condition(kInternalTargetFailure));
  }
  contents_.keep();
  unwritten_.write(work.lbn, work.blocks);
  Answer answer;
  answer.reply.taken = bytes;
  answer.work = work;
  return answer;
}

// That block into each of so many, by pieces of some length.
bool BlockCommands::write_each(std::uint64_t lbn, std::uint32_t blocks,
                               std::span<const std::uint8_t> block) {
  constexpr std::uint32_t kPiece = 128;
  const std::uint32_t piece = std::min(blocks, kPiece);
  std::vector<std::uint8_t> bytes(piece * block.size());
  for (std::uint32_t i = 0; i < piece; ++i)
    std::ranges::copy(block, bytes.begin() + static_cast<std::ptrdiff_t>(i * block.size()));
  for (std::uint32_t i = 0; i < blocks; i += piece)
    if (const std::size_t now = std::min(piece, blocks - i) * block.size();
        !contents_.write(lbn + i, std::span(bytes).first(now)))
      return false;
  return true;
}

// How many blocks one read leaves in the cache at most, as it is divided now.
std::uint64_t BlockCommands::most_prefetched() const {
  if (!modes_.cache_settings().read_cache) return 0;
  const model::Cache cache = modes_.cache_policies(drive_.model.cache);
  if (cache.read_enabled.value && *cache.read_enabled.value == 0) return 0;
  const double pooled = acting(cache, cache.buffer_blocks);
  const double blocks = pooled > 0 ? pooled : acting(cache, cache.segment_blocks).value;
  return static_cast<std::uint64_t>(std::clamp(blocks, 0.0, 4294967295.0));
}

// What the cache has room for is read, and the status is GOOD (SBC-3 clause 5.8). CONDITION MET,
// which would say that all of it is in the cache, is never told: hosts take it for an error.
Answer BlockCommands::pre_fetch(const scsi::Command& command) {
  Work work = transfer_work(command);
  work.force_unit_access = false;
  work.prefetch = true;
  work.immediate = command.cdb[1] & 0x02;
  work.electronics_ns = drive_.command_ns;
  const std::uint32_t asked = work.blocks;
  if (const auto outside = first_outside(work.lbn, asked, drive_.blocks))
    return electronics(out_of_range(*outside));
  const std::uint64_t blocks = asked == 0 ? drive_.blocks - work.lbn : asked;
  const std::uint64_t kept = std::min(blocks, most_prefetched());
  Answer answer = electronics({});
  if (kept == 0 || nothing_on_media(work.lbn, kept)) return answer;
  work.blocks = static_cast<std::uint32_t>(kept);
  if (!work.immediate) stop_at_medium_error(work, answer.reply);
  answer.work = work;
  return answer;
}

Answer BlockCommands::seek(const scsi::Command& command) {
  Answer answer;
  answer.work.kind = Work::Kind::seek;
  answer.work.lbn = scsi::get_be32(&command.cdb[2]);
  if (answer.work.lbn >= drive_.blocks) return electronics(out_of_range(answer.work.lbn));
  return answer;
}

Answer BlockCommands::synchronize_cache(const scsi::Command& command) {
  const Work named = transfer_work(command);
  if (const auto outside = first_outside(named.lbn, named.blocks, drive_.blocks))
    return electronics(out_of_range(*outside));
  return synchronized(command.cdb[1] & 0x02);
}

Answer BlockCommands::synchronized(bool immediate) {
  contents_.keep();
  Answer answer = electronics({});
  answer.work.kind = Work::Kind::synchronize;
  if (drive_.model.cache.synchronize)
    answer.work.electronics_ns = from_ms(std::max(0.0, *drive_.model.cache.synchronize.value));
  answer.work.immediate = immediate;
  return answer;
}

}  // namespace platter::virtual_drive

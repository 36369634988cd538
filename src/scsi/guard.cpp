#include "scsi/guard.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "scsi/ata.h"
#include "scsi/bytes.h"
#include "scsi/conditions.h"
#include "scsi/reply.h"
#include "scsi/sense.h"

namespace platter::scsi {
namespace {

using Reason = std::optional<std::string>;  // why not; nullopt: it may go

constexpr std::uint8_t kTranslateAddressPage = 0x40;

// Every bit of the CDB lies within the usage mask of its row.
Reason foreign_bits(const Command& command, const CommandEntry& entry) {
  if (command.cdb_length != entry.cdb_length)
    return fmt::format("its CDB has {} bytes instead of {}", command.cdb_length, entry.cdb_length);
  for (std::size_t i = 1; i < command.cdb.size(); ++i) {
    const std::uint8_t allowed = i < entry.cdb_length ? entry.usage[i] : std::uint8_t{0};
    if (command.cdb[i] & ~allowed)
      return fmt::format("byte {} of its CDB is {:02X}h and may only have bits of {:02X}h", i,
                         command.cdb[i], allowed);
  }
  return std::nullopt;
}

Reason wrong_transfer(const Command& command, const CommandEntry& entry) {
  const bool moves = command.transfer_length > 0;
  if (command.direction != (moves ? entry.direction : Direction::none) &&
      command.direction != entry.direction)
    return "its data would go the wrong way";
  if (entry.direction == Direction::none && moves) return "it has no data phase";
  if (command.direction == Direction::to_device && command.data.size() != command.transfer_length)
    return "its data are not as long as its transfer";
  return std::nullopt;
}

// Only the pages of a run (caches, power, background scan), one whole page, alone and without block
// descriptors: those change the capacity. SPC-4, MODE SELECT and mode parameter header formats.
Reason foreign_mode_data(const Command& command) {
  const bool short_form = command.opcode() == kModeSelect6;
  const std::size_t header = short_form ? 4 : 8;
  const auto& data = command.data;
  const std::size_t listed = short_form ? command.cdb[4] : get_be16(&command.cdb[7]);
  if (data.size() != listed || data.size() < header + 2) return "its parameter list is not whole";
  const auto descriptors = short_form ? data[3] : get_be16(&data[6]);
  if (descriptors != 0) return "it carries a block descriptor, which may change the capacity";
  const auto code = code_of(Bytes(data).subspan(header));
  if (!code) return "its page is not whole, or not alone";
  if (!may_be_set(*code) || (data[header] & 0x80))
    return "only the pages 08h, 1Ah and 1Ch/01h may be set";
  return std::nullopt;
}

// The translate address page (SBC-3, translate address pages) is the only page that may be sent,
// and never a self test.
Reason foreign_diagnostic(const Command& command) {
  if (!(command.cdb[1] & 0x10)) return "the PF bit is not set, so its page has no fixed meaning";
  if (command.data.size() != get_be16(&command.cdb[3]) || command.data.size() != 14 ||
      command.data[0] != kTranslateAddressPage)
    return "only the translate address page (40h) may be sent";
  return std::nullopt;
}

// Masks alone do not do: protocol 0 of ATA PASS-THROUGH is a reset, and most subcommands of SET
// FEATURES can't be taken back. Nothing but what platter itself builds goes to an ATA drive.
Reason foreign_pass_through(const Command& command) {
  if (!is_known_pass_through(command))
    return "of ATA commands only IDENTIFY DEVICE, CHECK POWER MODE and the SET FEATURES of write "
           "cache, "
           "look-ahead and power management may be sent";
  return std::nullopt;
}

bool holds(const std::vector<LbnRange>& ranges, const LbnRange& all) {
  return std::ranges::any_of(ranges, [&](const LbnRange& range) {
    return range.first <= all.first && all.last <= range.last;
  });
}

bool meets_any(const std::vector<LbnRange>& ranges, const LbnRange& all) {
  return std::ranges::any_of(ranges, [&](const LbnRange& range) { return range.meets(all); });
}

// A write touches whole physical blocks: what lies in them beside the write must be permitted, too.
Reason not_permitted(const Command& command, const CommandEntry& entry,
                     const Permission& permission, const PhysicalBlocks& physical) {
  if (entry.command_class == CommandClass::read) return std::nullopt;
  if (entry.command_class == CommandClass::reversible_setting) {
    if (!permission.settings) return "this run may not change settings; allow it to";
    return entry.ata_command < 0 ? foreign_mode_data(command) : std::nullopt;
  }
  const auto range = addressed_blocks(command);
  if (!range) return "it does not say which blocks it writes";
  if (range->blocks == 0) return "it writes no block";
  if (range->blocks > ~range->lbn) return "it writes past any drive's end";
  const LbnRange all = physical.covering(range->lbn, range->blocks);
  if (all.last < range->lbn + range->blocks - 1) return "it writes past the drive's end";
  if (!holds(permission.writes, all))
    return fmt::format(
        "this run may not write LBN {} to {}{}; name them with --allow-writes", all.first, all.last,
        all.last - all.first + 1 > range->blocks ? ", the physical blocks of it" : "");
  if (meets_any(permission.in_order, all))
    return fmt::format(
        "LBN {} to {} lie in zones that are written in order, where nothing can be "
        "written back",
        all.first, all.last);
  if (command.transfer_length == 0 || command.transfer_length % range->blocks != 0)
    return "its data are no whole number of blocks";
  return std::nullopt;
}

// The media are reached in whole physical blocks, by reads too. A SEEK names one block and moves
// the arm to it; a VERIFY of no blocks may do as much.
Reason skipped(const Command& command, const Permission& permission,
               const PhysicalBlocks& physical) {
  if (permission.skipped.empty()) return std::nullopt;
  const auto range = addressed_blocks(command);
  if (!range) return std::nullopt;
  const std::uint64_t blocks = std::max<std::uint64_t>(range->blocks, 1);
  if (blocks > ~range->lbn) return "it reaches past any drive's end";
  const LbnRange all = physical.covering(range->lbn, blocks);
  const auto hole = std::ranges::find_if(permission.skipped,
                                         [&](const LbnRange& skip) { return skip.meets(all); });
  if (hole == permission.skipped.end()) return std::nullopt;
  return fmt::format("it would reach LBN {} to {}, of which this run is to skip {} to {}",
                     all.first, all.last, hole->first, hole->last);
}

Reason why_refused(const Command& command, const Permission& permission,
                   const PhysicalBlocks& physical, const std::optional<std::string>& writes_ended) {
  const auto* entry = find_command(command.cdb);
  if (!entry) return "it is not among the commands that platter may send";
  if (auto reason = foreign_bits(command, *entry)) return reason;
  if (auto reason = wrong_transfer(command, *entry)) return reason;
  if (command.opcode() == kSendDiagnostic)
    if (auto reason = foreign_diagnostic(command)) return reason;
  if (entry->ata_command >= 0)
    if (auto reason = foreign_pass_through(command)) return reason;
  if (auto reason = skipped(command, permission, physical)) return reason;
  if (entry->command_class == CommandClass::write && writes_ended)
    return fmt::format("{}, and so nothing more is written", *writes_ended);
  return not_permitted(command, *entry, permission, physical);
}

TransportError refusal(const std::string& device, const std::string& what,
                       const std::string& reason) {
  return {TransportError::Kind::refused,
          fmt::format("{} was not sent {}: {}", device, what, reason)};
}

bool is_write(const Command& command) {
  const auto* entry = find_command(command.cdb);
  return entry && entry->command_class == CommandClass::write;
}

// What the drive says to a write that may have left its blocks torn. Not what it says of a command
// that it did not begin: BUSY, unit attentions, not ready, an illegal request. An aborted command
// may be sent again.
bool may_be_torn(const Completion& done, const std::optional<Sense>& sense) {
  if (done.status == Status::aborted) return true;
  if (done.status != Status::check_condition || !sense) return false;
  switch (sense->key) {
    case SenseKey::no_sense:
    case SenseKey::recovered_error:
    case SenseKey::not_ready:
    case SenseKey::illegal_request:
    case SenseKey::unit_attention:
    case SenseKey::aborted_command:
      return false;
    default:
      return true;
  }
}

// An earlier command that was answered well has failed since: a write, for nothing else has
// anything left to do (SPC-4, deferred errors).
bool tells_of_an_earlier_write(const Sense& sense) {
  return sense.deferred && sense.key != SenseKey::no_sense &&
         sense.key != SenseKey::recovered_error;
}

}  // namespace

Guard::Guard(Device& device, Permission permission)
    : device_(device), permission_(std::move(permission)) {}

const std::string& Guard::name() const { return device_.name(); }
Clock& Guard::clock() { return device_.clock(); }
std::uint32_t Guard::max_outstanding() const { return device_.max_outstanding(); }
std::uint32_t Guard::max_transfer_bytes() const { return device_.max_transfer_bytes(); }
void Guard::prepare_for(std::uint32_t outstanding) { device_.prepare_for(outstanding); }
std::uint64_t Guard::sent_again() { return device_.sent_again(); }
std::unique_ptr<Stamping> Guard::stamp() { return device_.stamp(); }

Expected<void> Guard::submit(const Command& command, std::uint32_t tag) {
  return pass(command, tag, &Device::submit);
}

Expected<void> Guard::submit_alone(const Command& command, std::uint32_t tag) {
  return pass(command, tag, &Device::submit_alone);
}

Expected<void> Guard::pass(const Command& command, std::uint32_t tag, Submit how) {
  if (const auto reason = why_refused(command, permission_, physical_, writes_ended_))
    return tl::unexpected(refusal(name(), command_name(command), *reason));
  const bool write = is_write(command);
  if (command.opcode() == kSynchronizeCache10) flush_under_way_ = tag;
  if (write) {
    writes_under_way_.insert(tag);
    has_written_ = true;
  }
  auto sent = (device_.*how)(command, tag);
  if (!sent && write) {
    if (sent.error().kind == TransportError::Kind::refused)
      writes_under_way_.erase(tag);
    else
      end_writes(sent.error().sentence);
  }
  return sent;
}

Expected<std::optional<Completion>> Guard::reap() { return watched(device_.reap()); }

Expected<std::optional<Completion>> Guard::reap_until(Nanoseconds deadline_ns) {
  return watched(device_.reap_until(deadline_ns));
}

Expected<std::optional<Completion>> Guard::watched(Expected<std::optional<Completion>> reaped) {
  if (!reaped) {
    if (!writes_under_way_.empty()) end_writes(reaped.error().sentence);
    writes_under_way_.clear();
  } else if (*reaped) {
    watch(**reaped);
  }
  return reaped;
}

void Guard::watch(const Completion& completion) {
  const bool write = writes_under_way_.erase(completion.tag) > 0;
  const auto sense = decode_sense(completion.sense);  // with GOOD, too (SAM-5, sense data)
  if (sense) heard(*sense);
  if (flush_under_way_ == completion.tag) {
    flush_under_way_.reset();
    look_at_flush(completion, sense);
  }
  if (write && may_be_torn(completion, sense))
    end_writes(fmt::format("{} reports that a write failed ({})", name(),
                           sense ? sense->text() : "TASK ABORTED"));
}

// What was written before it may not be on the media. A drive that has no such command says so in
// many words, but not that a write failed.
void Guard::look_at_flush(const Completion& done, const std::optional<Sense>& sense) {
  if (done.status == Status::good) flushed_well_ = true;
  if (!has_written_ || done.status != Status::check_condition || !sense || sense->deferred) return;
  const bool failed = sense->key == SenseKey::medium_error ||
                      sense->key == SenseKey::hardware_error;
  if (failed && (flushed_well_ || sense->is_of_writes()))
    end_writes(
        fmt::format("{} reports that what was written could not be brought to the media ({})",
                    name(), sense->text()));
}

void Guard::heard(const Sense& sense) {
  const Cleanness how = cleanness_of(sense);
  if (how == Cleanness::recovered) {
    ++said_.recovered[sense.text()];
    ++said_.recovered_replies;
  }
  if (how == Cleanness::warned) ++said_.warnings[sense.text()];
  if (has_written_ && tells_of_an_earlier_write(sense))
    end_writes(fmt::format("{} reports that an earlier write failed ({})", name(), sense.text()));
}

void Guard::end_writes(std::string why) {
  if (!permission_.writes_go_on && !writes_ended_) writes_ended_ = std::move(why);
}

bool Guard::may_write(std::uint64_t lbn, std::uint64_t blocks) const {
  if (writes_ended_ || blocks == 0 || blocks > ~lbn) return false;
  const LbnRange all = physical_.covering(lbn, blocks);
  return all.last >= lbn + blocks - 1 && holds(permission_.writes, all) &&
         !meets_any(permission_.in_order, all);
}

Expected<void> Guard::reset() {
  if (!permission_.settings)
    return tl::unexpected(
        refusal(name(), "a logical unit reset", "this run may not change settings; allow it to"));
  if (!writes_under_way_.empty())
    end_writes("writes were under way when the logical unit was reset");
  writes_under_way_.clear();
  return device_.reset();
}

}  // namespace platter::scsi

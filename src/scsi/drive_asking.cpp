// A command and the drive's answer to it: what is tried again, what is counted, what ends the
// experiment.
#include <algorithm>
#include <string_view>
#include <utility>

#include "model/drive_mark.h"
#include "scsi/command_table.h"
#include "scsi/drive_link.h"

namespace platter::scsi {
namespace {

constexpr Nanoseconds kFirstWait = 10 * kMillisecond;
constexpr Nanoseconds kLongestWait = kSecond;
constexpr Nanoseconds kPatience = 60 * kSecond;  // with a drive that is busy or spinning up
constexpr int kMostConflicts = 3;                // another host may hold a reservation for a moment

constexpr std::uint8_t kBecomingReady = 0x04;  // ASC, with ASCQ 01h; others: why it is not ready
constexpr std::uint8_t kResetOccurred = 0x29;  // ASC
constexpr std::uint8_t kParametersChanged = 0x2A;  // ASC

bool transient(const Answer& answer) {
  const auto status = answer.completion.status;
  return status == Status::busy || status == Status::task_set_full ||
         (answer.sense && answer.sense->is(SenseKey::not_ready, kBecomingReady) &&
          answer.sense->ascq == 0x01);
}

std::string_view status_name(Status status) {
  switch (status) {
    case Status::good:
      return "GOOD";
    case Status::check_condition:
      return "CHECK CONDITION without sense data";
    case Status::condition_met:
      return "CONDITION MET";
    case Status::busy:
      return "BUSY for a minute";
    case Status::reservation_conflict:
      return "RESERVATION CONFLICT";
    case Status::task_set_full:
      return "TASK SET FULL for a minute";
    case Status::aborted:
      return "TASK ABORTED";
  }
  return "an unknown status";
}

// Of a drive that keeps its blocks to those who have a key (SPC-4, additional sense codes; the
// security of ATA drives comes through SAT as one of these).
bool locked(const Sense& sense) {
  const bool access_denied = sense.asc == kInvalidOpcode && sense.ascq == 0x02;
  const bool security = sense.asc == 0x74;  // whatever the sense key
  const bool denies = sense.key == SenseKey::illegal_request ||
                      sense.key == SenseKey::data_protect || sense.key == SenseKey::not_ready ||
                      sense.key == SenseKey::aborted_command;
  return !sense.deferred && (security || (denies && access_denied));
}

std::string_view advice_for_not_ready(const Sense& sense) {
  if (sense.asc != kBecomingReady)
    return "start the drive, or wait until it is ready, and try again";
  switch (sense.ascq) {
    case 0x02:
    case 0x11:
      return "it is spun down: start it (sg_start --start, or enable its enclosure to) and try "
             "again";
    case 0x03:
      return "somebody has to see to the drive itself";
    case 0x04:
      return "it is being formatted: wait until that is done";
    case 0x09:
      return "it tests itself: wait until that is done";
    case 0x1B:
      return "it is being sanitized: wait until that is done";
    default:
      return "start the drive, or wait until it is ready, and try again";
  }
}

std::string_view advice(const std::optional<Sense>& sense, Status status) {
  if (status == Status::reservation_conflict)
    return "another host holds a reservation: release it first";
  if (!sense) return "try again, or look at the drive with platter inspect";
  if (locked(*sense)) return "the drive is locked: unlock it with its key or password first";
  switch (sense->key) {
    case SenseKey::not_ready:
      return advice_for_not_ready(*sense);
    case SenseKey::medium_error:
      return "leave these blocks out";
    case SenseKey::hardware_error:
      return "save the data of this drive: it reports a failure";
    case SenseKey::data_protect:
      return "the drive is write protected: take the protection away";
    case SenseKey::illegal_request:
      return "this drive does not support it as asked";
    case SenseKey::unit_attention:
      return "something keeps resetting the drive: find out what";
    default:
      return "try again, or look at the drive with platter inspect";
  }
}

}  // namespace

// The guard hears of it with any command's answer.
void DriveLink::tell_of_failed_writes() {
  if (!guard || !guard->why_writes_ended() || std::exchange(told_of_failed_writes, true)) return;
  throw WriteFailed(ExitStatus::drive_error, *guard->why_writes_ended());
}

Answer DriveLink::once(const Command& command, std::uint64_t lbn, std::uint32_t blocks) {
  auto done = device.execute(command);
  if (!done) {
    tell_of_failed_writes();
    throw as_error(done.error());
  }
  ++commands;
  Answer answer{std::move(*done), std::nullopt};
  const auto& completion = answer.completion;
  if (completion.status == Status::check_condition) answer.sense = decode_sense(completion.sense);
  if (command_callback)
    command_callback({command.opcode(), lbn, blocks, completion.issued_ns, completion.completed_ns,
                      completion.status});
  if (completion.status == Status::check_condition && !answer.sense) fetch_sense(answer);
  tell_of_failed_writes();
  return answer;
}

// Without autosense the sense data wait in the drive for the next command.
void DriveLink::fetch_sense(Answer& answer) {
  const auto done = device.execute(request_sense());
  if (!done) throw as_error(done.error());
  ++commands;
  answer.completion.sense = done->data;
  answer.sense = decode_sense(done->data);
  if (guard && answer.sense) guard->heard(*answer.sense);
}

void DriveLink::note_unit_attention(const Sense& sense) {
  ++unit_attentions;
  may_be_another |= sense.may_mean_another_drive();
  if (sense.asc != kResetOccurred && sense.asc != kParametersChanged) return;
  // Some drives report a change of parameters to the very host that made it.
  if (sense.asc == kParametersChanged && selecting) return;
  ++resets;
  if (!recorded.empty() || recorded_ata) lost = true;
}

// Sends the command until the drive has really answered it.
Answer DriveLink::ask(const Command& command, std::uint64_t lbn, std::uint32_t blocks) {
  const auto* entry = find_command(command.cdb);
  const bool only_reads = entry && entry->command_class == CommandClass::read;
  int attentions = 0, aborts = 0, conflicts = 0, deferred = 0;
  Nanoseconds wait = kFirstWait;
  const Nanoseconds give_up = device.clock().now_ns() + kPatience;
  for (;;) {
    if (!only_reads && may_be_another) require_same_drive();
    auto answer = once(command, lbn, blocks);
    const auto& sense = answer.sense;
    if (sense && sense->key == SenseKey::unit_attention) {
      note_unit_attention(*sense);
      if (++attentions < kMaxUnitAttentions) continue;
    } else if (transient(answer)) {
      ++busy_replies;
      const auto now = device.clock().now_ns();
      if (now < give_up) {
        device.clock().sleep_until_ns(now + wait);
        wait = std::min(2 * wait, kLongestWait);
        continue;
      }
    } else if ((sense && sense->key == SenseKey::aborted_command) ||
               (sense && sense->deferred && sense->key == SenseKey::recovered_error)) {
      ++busy_replies;
      if (++aborts < kMaxAborts) continue;
    } else if (sense && sense->deferred && guard && guard->permission().writes_go_on) {
      // Of writes that were in flight together each may have one. Who puts back what they have torn
      // looks at all of it.
      if (++deferred < kMostDeferred) continue;
    }
    if (answer.completion.status == Status::reservation_conflict && ++conflicts < kMostConflicts) {
      ++busy_replies;
      device.clock().sleep_until_ns(device.clock().now_ns() + wait);
      wait *= 2;
      continue;
    }
    if (!entry || entry->command_class != CommandClass::reversible_setting) selecting = false;
    return answer;
  }
}

// A write that the drive gave up, or turned away until patience ended. One that it does not take in
// this form at all, or leaves to another host, was never begun.
Completion DriveLink::send_write(const Command& command, std::uint64_t lbn, std::uint32_t blocks) {
  try {
    return must(command, lbn, blocks).completion;
  } catch (const DriveError& error) {
    if (!guard || guard->permission().writes_go_on || error.status() != ExitStatus::drive_error)
      throw;
    guard->end_writes(error.what());
    told_of_failed_writes = true;
    throw WriteFailed(error.status(), error.what());
  }
}

// Whatever takes its place after a reset answers to the same name.
void DriveLink::require_same_drive() {
  if (!identified) return;
  model::Identity now = identity;
  if (const auto found = decode_inquiry(must(scsi::inquiry()).completion.data)) {
    now.vendor = found->vendor;
    now.product = found->product;
  }
  const Capacity capacity_now = ask_capacity();
  now.blocks = capacity_now.blocks;
  now.block_bytes = capacity_now.block_bytes;
  const auto serial = ask(inquiry_vpd(0x80));
  const bool has_serial = serial.good() && serial.completion.data.size() >= 4 &&
                          serial.completion.data[1] == 0x80;
  now.serial = has_serial ? decode_serial(serial.completion.data).value_or("") : "";
  if (!model::same_drive(now, identity))
    throw AnotherDrive(
        ExitStatus::protocol,
        fmt::format(
            "{} is another drive since it was reset: {} {} with serial number {} then, {} {} "
            "with {} now; nothing is written to it",
            name, identity.vendor, identity.product, identity.serial, now.vendor, now.product,
            now.serial));
  may_be_another = false;
}

Answer DriveLink::must(const Command& command, std::uint64_t lbn, std::uint32_t blocks) {
  auto answer = ask(command, lbn, blocks);
  if (!answer.good()) fail(command, answer, lbn, blocks);
  return answer;
}

void DriveLink::fail(const Command& command, const Answer& answer, std::uint64_t lbn,
                     std::uint32_t blocks) const {
  const auto status = answer.completion.status;
  const auto where = blocks ? fmt::format(" of LBN {} to {}", lbn, lbn + blocks - 1) : "";
  const auto what = answer.sense ? answer.sense->text() : std::string(status_name(status));
  const bool no_key = answer.sense && locked(*answer.sense);
  const auto exit = no_key                                   ? ExitStatus::refused
                    : answer.illegal()                       ? ExitStatus::unsupported
                    : status == Status::reservation_conflict ? ExitStatus::refused
                                                             : ExitStatus::drive_error;
  throw DriveError(exit,
                   fmt::format("{} answered {}{} with {}; {}", name, command_name(command), where,
                               what, advice(answer.sense, status)),
                   answer.sense, lbn, blocks);
}

}  // namespace platter::scsi

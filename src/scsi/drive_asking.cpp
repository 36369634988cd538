// A command and the drive's answer to it: what is tried again, what is counted, what ends the
// experiment.
#include <algorithm>
#include <string_view>
#include <utility>

#include "identity/drive_mark.h"
#include "scsi/advice.h"
#include "scsi/command_table.h"
#include "scsi/drive_link.h"

namespace platter::scsi {
namespace {

constexpr Nanoseconds kFirstWait = 10 * kMillisecond;
constexpr Nanoseconds kLongestWait = kSecond;
constexpr Nanoseconds kPatience = 60 * kSecond;  // with a drive that is busy or spinning up
// Of a command that a drive may lack, and that this one has not answered yet.
constexpr Nanoseconds kPatienceWithOptional = 5 * kSecond;
constexpr int kMostConflicts = 3;  // another host may hold a reservation for a moment

constexpr std::uint8_t kBecomingReady = 0x04;  // ASC, with ASCQ 01h; others: why it is not ready
constexpr std::uint8_t kResetOccurred = 0x29;  // ASC
constexpr std::uint8_t kParametersChanged = 0x2A;  // ASC

bool is_busy(const Answer& answer) {
  const auto status = answer.completion.status;
  return status == Status::busy || status == Status::task_set_full;
}

bool transient(const Answer& answer) {
  return is_busy(answer) ||
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
      return "BUSY each time";
    case Status::reservation_conflict:
      return "RESERVATION CONFLICT";
    case Status::task_set_full:
      return "TASK SET FULL each time";
    case Status::aborted:
      return "TASK ABORTED";
  }
  return "an unknown status";
}

// What a run goes on with once it works: from then on an error of it is one.
bool is_relied_on(const Command& command) {
  switch (command.opcode()) {
    case kModeSense6:
    case kModeSense10:
    case kModeSelect6:
    case kModeSelect10:
    case kSendDiagnostic:
    case kReceiveDiagnostic:
    case kSeek10:
    case kVerify10:
    case kVerify16:
    case kSynchronizeCache10:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string what_it_said(const Answer& answer) {
  if (!answer.path_says.empty()) return fmt::format("nothing ({})", answer.path_says);
  return answer.sense ? answer.sense->text() : std::string(status_name(answer.completion.status));
}

// The guard hears of it with any command's answer.
void DriveLink::tell_of_failed_writes() {
  if (!guard || !guard->why_writes_ended() || std::exchange(told_of_failed_writes, true)) return;
  throw WriteFailed(ExitStatus::drive_error, *guard->why_writes_ended());
}

Answer DriveLink::once(const Command& command, std::uint64_t lbn, std::uint32_t blocks) {
  auto done = device.execute(command);
  Answer answer;
  if (!done) {
    tell_of_failed_writes();
    if (!may_have_failed_by(command, done.error())) throw as_error(done.error());
    answer.path_says = done.error().sentence;
    may_be_another = true;    // the path may have reset it, or found another one there
    must(test_unit_ready());  // throws where it is the drive that is gone
    return answer;
  }
  ++commands;
  answer.reply = Reply(command, *done);
  answer.completion = std::move(*done);
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
  // That nothing waited in the drive, either, tells nothing of the command.
  if (answer.sense && answer.sense->key == SenseKey::no_sense && answer.sense->asc == 0)
    answer.sense.reset();
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

// While other commands are answered, BUSY to one that a drive may lack is soon an answer.
Nanoseconds DriveLink::patience_with(const Command& command, const Answer& answer) const {
  const bool may_lack = is_optional(command) && !answered.contains(subject_of(command));
  return may_lack && is_busy(answer) ? kPatienceWithOptional : kPatience;
}

// Sends the command until the drive has really answered it.
Answer DriveLink::ask(const Command& command, std::uint64_t lbn, std::uint32_t blocks) {
  const auto* entry = find_command(command.cdb);
  const bool only_reads = entry && entry->command_class == CommandClass::read;
  int attentions = 0, aborts = 0, conflicts = 0, deferred = 0;
  Nanoseconds wait = kFirstWait;
  const Nanoseconds began_ns = device.clock().now_ns();
  for (;;) {
    if (!only_reads && may_be_another) require_same_drive();
    auto answer = once(command, lbn, blocks);
    const auto& sense = answer.sense;
    if (!answer.path_says.empty()) {
      ++busy_replies;
      if (++aborts < kMaxAborts && device.clock().now_ns() < began_ns + kPatienceWithOptional)
        continue;
    } else if (sense && sense->key == SenseKey::unit_attention) {
      note_unit_attention(*sense);
      if (++attentions < kMaxUnitAttentions) continue;
    } else if (transient(answer)) {
      ++busy_replies;
      const auto now = device.clock().now_ns();
      if (now < began_ns + patience_with(command, answer)) {
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
    answer.not_supported = counts_as_not_supported(command, answer, blocks);
    const bool says_nothing = answer.sense && answer.sense->key == SenseKey::no_sense;
    if (answer.good() && !says_nothing && is_optional(command))
      answered.insert(subject_of(command));
    if (answer.not_supported && !answer.illegal())
      odd_refusals.emplace(command_name(command), what_it_said(answer));
    return answer;
  }
}

// Bridges hang on what they do not know, or break off, and the host resets them. What has been
// answered well before was not the command's fault, nor is a drive that is gone; and a flush that
// was broken off may be one that failed.
bool DriveLink::may_have_failed_by(const Command& command, const TransportError& error) const {
  const bool by_command = error.kind == TransportError::Kind::io ||
                          error.kind == TransportError::Kind::timeout;
  const auto* entry = find_command(command.cdb);
  return by_command && is_optional(command) && entry->command_class == CommandClass::read &&
         command.opcode() != kSynchronizeCache10 && !answered.contains(subject_of(command));
}

// A drive that lacks an optional command says ILLEGAL REQUEST; translations of HBAs and bridges say
// ABORTED COMMAND, HARDWARE ERROR, NOT READY or nothing at all, or begin anew each time (UNIT
// ATTENTION). What it has answered well before it has. Of a block on the media an error is that
// block's.
bool DriveLink::counts_as_not_supported(const Command& command, const Answer& answer,
                                        std::uint32_t blocks) const {
  if (!answer.path_says.empty()) return true;
  if (answer.good() || !is_optional(command)) return false;
  if (answer.illegal()) return true;
  // Another host's reservation, and what an earlier command left behind, say nothing of this one.
  if (answer.completion.status == Status::reservation_conflict) return false;
  if (answer.sense && answer.sense->deferred) return false;
  if (blocks > 0 && answer.sense && answer.sense->key == SenseKey::medium_error) return false;
  // A drive without the command would not say so.
  if (command.opcode() == kSynchronizeCache10 && answer.sense && answer.sense->is_of_writes())
    return false;
  const bool begins_anew = answer.sense && answer.sense->key == SenseKey::unit_attention;
  return !(is_relied_on(command) || begins_anew) || !answered.contains(subject_of(command));
}

Answer DriveLink::may(const Command& command) {
  auto answer = ask(command);
  if (!answer.good() && !answer.not_supported) fail(command, answer, 0, 0);
  return answer;
}

std::optional<Reply> DriveLink::reply_to(const Command& command) {
  auto answer = may(command);
  if (answer.not_supported) return std::nullopt;
  return std::move(answer.reply);
}

// A read that comes short with GOOD has not read all its blocks, nor a write written them. Once may
// be chance, and counts as a reply that was tried again; a drive that cuts long commands does it
// each time.
Answer DriveLink::whole(const Command& command, std::uint64_t lbn, std::uint32_t blocks) {
  constexpr int kTries = 3;
  for (int attempt = 1;; ++attempt) {
    auto answer = must(command, lbn, blocks);
    if (answer.reply.is_whole()) return answer;
    ++busy_replies;
    ++short_replies;
    if (attempt < kTries) continue;
    throw DriveError(
        ExitStatus::drive_error,
        fmt::format("{} answered {} of LBN {} to {} with GOOD, and {} of its {} bytes were moved; "
                    "ask for fewer blocks at once, or connect the drive another way",
                    name, command_name(command), lbn, lbn + blocks - 1, answer.reply.came(),
                    answer.reply.asked()),
        std::nullopt, lbn, blocks, DriveError::Kind::came_short);
  }
}

// A write that the drive gave up, or turned away until patience ended. One that it does not take in
// this form at all, or leaves to another host, was never begun.
Completion DriveLink::send_write(const Command& command, std::uint64_t lbn, std::uint32_t blocks) {
  try {
    return whole(command, lbn, blocks).completion;
  } catch (const DriveError& error) {
    // What came short was begun and ended well: nothing is torn, and its blocks hold what they
    // held.
    if (!guard || guard->permission().writes_go_on || error.came_short() ||
        error.status() != ExitStatus::drive_error)
      throw;
    guard->end_writes(error.what());
    told_of_failed_writes = true;
    throw WriteFailed(error.status(), error.what());
  }
}

// Whatever takes its place after a reset answers to the same name.
void DriveLink::require_same_drive() {
  if (!identified) return;
  const model::Identity now = gather().who.identity;
  if (!identity::same_drive(now, identity))
    throw AnotherDrive(ExitStatus::protocol,
                       fmt::format("{} is another drive since it was reset: {} then, {} now; "
                                   "nothing is written to it",
                                   name, identity::in_words(identity), identity::in_words(now)));
  may_be_another = false;
}

Answer DriveLink::must(const Command& command, std::uint64_t lbn, std::uint32_t blocks) {
  auto answer = ask(command, lbn, blocks);
  if (!answer.good()) fail(command, answer, lbn, blocks);
  return answer;
}

void DriveLink::fail(const Command& command, const Answer& answer, std::uint64_t lbn,
                     std::uint32_t blocks) const {
  const auto where = blocks ? fmt::format(" of LBN {} to {}", lbn, lbn + blocks - 1) : "";
  const Advice advice = advice_on(answer.sense, answer.completion.status);
  const bool refused = answer.not_supported || answer.illegal();
  const auto status = answer.not_supported && advice.status == ExitStatus::drive_error
                          ? ExitStatus::unsupported
                          : advice.status;
  throw DriveError(status,
                   fmt::format("{} answered {}{} with {}; {}", name, command_name(command), where,
                               what_it_said(answer), advice.text),
                   answer.sense, lbn, blocks,
                   refused ? DriveError::Kind::refused : DriveError::Kind::failed);
}

}  // namespace platter::scsi

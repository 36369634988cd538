#include "transport/exec.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <utility>

#include "scsi/command_table.h"

namespace platter::transport {
namespace {

using scsi::Command;
using scsi::Completion;
using scsi::Direction;
using scsi::Expected;
using scsi::Status;
using scsi::TransportError;

constexpr std::size_t kMaxMessage = 16U << 20;  // bytes behind the length field
constexpr std::size_t kRequestHeader = 22;      // fixed bytes of a request, without length
constexpr std::size_t kReplyHeader = 24;        // fixed bytes of a reply, without length
constexpr std::size_t kMoreOffset = 4 + 8 + 4 + 1;
constexpr std::uint8_t kNone = 0xFF;  // status: nothing has completed (yet)
constexpr std::uint8_t kMaxSense = 252;
constexpr std::size_t kLongestCdb = 32;
// What one message carries of data, to the drive or from it, whatever CDB or sense data come with
// them.
constexpr std::size_t kMaxData = kMaxMessage -
                                 std::max(kRequestHeader + kLongestCdb, kReplyHeader + kMaxSense);

template <class T>
void put(std::vector<std::uint8_t>& out, T value) {
  static_assert(std::is_unsigned_v<T>);
  for (std::size_t i = 0; i < sizeof(T); ++i)
    out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

template <class T>
T get(const std::uint8_t* bytes) {
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) value = static_cast<T>(value << 8 | bytes[i]);
  return value;
}

double seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

bool is_status(std::uint8_t status) {
  switch (static_cast<Status>(status)) {
    case Status::good:
    case Status::check_condition:
    case Status::condition_met:
    case Status::busy:
    case Status::reservation_conflict:
    case Status::task_set_full:
    case Status::aborted:
      return true;
  }
  return false;
}

// Where a command is in no table its opcode must do; the text lives as long as the program.
std::string_view lasting_name(const Command& command) {
  const auto* entry = scsi::find_command(command.cdb);
  return entry ? entry->name : std::string_view("a command");
}

}  // namespace

ExecDevice::ExecDevice(const std::string& command, ExecLimits limits)
    : name_("exec:" + command), limits_(limits), process_(split_words(command)) {
  greet();
}

void ExecDevice::greet() {
  std::array<std::uint8_t, 8> hello{};
  std::size_t received = 0;
  const auto result = process_.read(hello, limits_.hello, received);
  const std::string_view text(reinterpret_cast<const char*>(hello.data()), received);
  if (received == hello.size() && text == "SCSIDRV2") return;
  const auto why = [&] {
    if (received == hello.size() && text.starts_with("SCSIDRV") && text[7] >= '0' && text[7] <= '9')
      return fmt::format(
          "speaks version {} of the external drive protocol, and platter knows only "
          "version 2; use a drive program for that version",
          text[7]);
    if (result == Process::Result::timeout)
      return fmt::format(
          "has not said hello (SCSIDRV2) within {} s; check that it is a drive "
          "program",
          seconds(limits_.hello));
    if (result == Process::Result::end_of_file)
      return fmt::format(
          "closed its output before its hello (SCSIDRV2): {}; check its arguments "
          "and its messages",
          process_.how_it_ended());
    return std::string(
        "does not start with the hello SCSIDRV2; it must speak the external drive "
        "protocol, version 2, on its standard output and print nothing else there");
  }();
  throw Error(ExitStatus::protocol, fmt::format("{} {}", name_, why));
}

tl::unexpected<TransportError> ExecDevice::fail(TransportError::Kind kind, std::string sentence) {
  broken_ = TransportError{kind, std::move(sentence)};
  return tl::unexpected(*broken_);
}

tl::unexpected<TransportError> ExecDevice::malformed(std::string_view what, std::string_view field,
                                                     const std::string& why) {
  return fail(TransportError::Kind::protocol,
              fmt::format("{} gave a malformed reply to {}: field {} {}; the drive program breaks "
                          "the external drive protocol there and must be mended",
                          name_, what, field, why));
}

// Builds the request in unsent_; `more` is decided by what follows.
void ExecDevice::encode(Kind kind, Nanoseconds issue_ns, std::uint32_t tag,
                        const Command* command) {
  const bool gives = command && command->direction == Direction::to_device;
  const std::size_t length = kRequestHeader + (command ? command->cdb_length : 0) +
                             (gives ? command->data.size() : 0);
  auto& out = unsent_;
  out.clear();
  out.reserve(4 + length);
  put(out, static_cast<std::uint32_t>(length));
  put(out, static_cast<std::uint64_t>(issue_ns));
  put(out, tag);
  put(out, static_cast<std::uint8_t>(kind));
  put(out, std::uint8_t{0});  // more
  put(out, std::uint8_t{0});  // lun
  put(out, static_cast<std::uint8_t>(command ? command->attribute : scsi::Attribute::simple));
  put(out, static_cast<std::uint8_t>(command ? command->direction : Direction::none));
  put(out, command ? command->cdb_length : std::uint8_t{0});
  put(out, command ? command->transfer_length : std::uint32_t{0});
  if (!command) return;
  out.insert(out.end(), command->cdb.begin(), command->cdb.begin() + command->cdb_length);
  if (gives) out.insert(out.end(), command->data.begin(), command->data.end());
}

Expected<void> ExecDevice::flush(bool more) {
  if (unsent_.empty()) return {};
  unsent_[kMoreOffset] = more ? 1 : 0;
  const auto result = process_.write(unsent_, limits_.reply);
  unsent_.clear();
  if (result == Process::Result::done) return {};
  if (result == Process::Result::timeout)
    return fail(TransportError::Kind::timeout,
                fmt::format("{} does not take {} from its standard input; it hangs, or does not "
                            "read while it writes",
                            name_, last_command_));
  return fail(TransportError::Kind::protocol,
              fmt::format("{} closed its standard input before {}: {}; see its messages", name_,
                          last_command_, process_.how_it_ended()));
}

std::uint32_t ExecDevice::max_transfer_bytes() const { return kMaxData; }

Expected<void> ExecDevice::submit(const Command& command, std::uint32_t tag) {
  if (broken_) return tl::unexpected(*broken_);
  const auto refuse = [&](const std::string& why) {
    return tl::unexpected(TransportError{
        TransportError::Kind::refused,
        fmt::format("{} was not sent {}: {}", name_, scsi::command_name(command), why)});
  };
  const auto cdb = command.cdb_length;
  if (cdb != 6 && cdb != 10 && cdb != 12 && cdb != 16 && cdb != 32)
    return refuse("a CDB has 6, 10, 12, 16 or 32 bytes");
  if (command.direction == Direction::to_device && command.data.size() != command.transfer_length)
    return refuse("its data are not as long as its transfer");
  if (command.transfer_length > kMaxData)
    return refuse(fmt::format("{} bytes exceed the protocol's 16 MiB; ask for fewer blocks",
                              command.transfer_length));
  if (outstanding_.contains(tag)) return refuse("its tag is that of an outstanding command");
  if (outstanding_.size() == max_outstanding()) return refuse("too many commands are outstanding");

  if (auto sent = flush(true); !sent) return sent;
  // Others are in service: what completes before this command arrives is fetched first.
  if (!outstanding_.empty() && clock_.now > std::max(reported_ns_, last_issue_ns_))
    if (auto advanced = advance(clock_.now); !advanced) return advanced;
  last_command_ = lasting_name(command);
  outstanding_[tag] = {last_command_, command.direction, command.transfer_length, clock_.now,
                       command.keep_data};
  last_issue_ns_ = clock_.now;
  encode(Kind::command, clock_.now, tag, &command);
  return {};
}

// Sends one request that is answered at once, and takes the reply.
Expected<ExecDevice::Reply> ExecDevice::exchange(Kind kind, Nanoseconds issue_ns,
                                                 std::uint32_t tag) {
  if (kind != Kind::command) encode(kind, issue_ns, tag, nullptr);
  if (auto sent = flush(false); !sent) return tl::unexpected(sent.error());
  return receive(kind, issue_ns, tag);
}

Expected<ExecDevice::Reply> ExecDevice::receive(Kind kind, Nanoseconds issue_ns,
                                                std::uint32_t tag) {
  const auto read = [&](std::span<std::uint8_t> bytes, std::string_view field) -> Expected<void> {
    std::size_t received = 0;
    const auto result = process_.read(bytes, limits_.reply, received);
    if (result == Process::Result::done) return {};
    if (result == Process::Result::timeout)
      return fail(
          TransportError::Kind::timeout,
          fmt::format("{} has not answered {} within {} s (field {} came to {} of {} "
                      "bytes); it hangs and must be mended",
                      name_, last_command_, seconds(limits_.reply), field, received, bytes.size()));
    return fail(
        TransportError::Kind::protocol,
        fmt::format("{} ended its reply to {} in field {} ({} of {} bytes): {}; see its "
                    "messages",
                    name_, last_command_, field, received, bytes.size(), process_.how_it_ended()));
  };
  std::array<std::uint8_t, 4> prefix{};
  if (auto got = read(prefix, "length"); !got) return tl::unexpected(got.error());
  const auto length = get<std::uint32_t>(prefix.data());
  if (length < kReplyHeader)
    return malformed(last_command_, "length",
                     fmt::format("is {}, less than the {} fixed bytes", length, kReplyHeader));
  if (length > kMaxMessage)
    return malformed(last_command_, "length", fmt::format("is {}, more than 16 MiB", length));
  body_.resize(length);
  std::span<std::uint8_t> body(body_);
  if (auto got = read(body.first(kReplyHeader), "complete_ns to data_length"); !got)
    return tl::unexpected(got.error());
  // Before the rest is waited for, which a wrong length would make a wait for ever.
  const std::size_t sense_length = body_[13];
  const std::size_t data_length = get<std::uint32_t>(&body_[20]);
  if (sense_length > kMaxSense)
    return malformed(last_command_, "sense_length",
                     fmt::format("is {}, more than 252", sense_length));
  if (kReplyHeader + sense_length + data_length != length)
    return malformed(last_command_, "data_length",
                     fmt::format("is {} and sense_length {}, but length leaves {} bytes for both",
                                 data_length, sense_length, length - kReplyHeader));
  if (auto got = read(body.subspan(kReplyHeader), "sense and data"); !got)
    return tl::unexpected(got.error());
  return parse(kind, issue_ns, tag, body_);
}

// Checks every field of a reply against what was asked and what was known before.
Expected<ExecDevice::Reply> ExecDevice::parse(Kind kind, Nanoseconds issue_ns, std::uint32_t tag,
                                              std::vector<std::uint8_t>& body) {
  const auto* bytes = body.data();
  const auto complete = get<std::uint64_t>(bytes);
  const auto reply_tag = get<std::uint32_t>(bytes + 8);
  const auto status = bytes[12];
  const std::size_t sense_length = bytes[13];
  const auto reserved = get<std::uint16_t>(bytes + 14);
  const auto residual = get<std::uint32_t>(bytes + 16);
  const std::size_t data_length = get<std::uint32_t>(bytes + 20);

  const auto found = status == kNone ? outstanding_.end() : outstanding_.find(reply_tag);
  const bool known = found != outstanding_.end();
  const std::string_view what = known ? found->second.what : last_command_;
  if (complete > static_cast<std::uint64_t>(std::numeric_limits<Nanoseconds>::max()))
    return malformed(what, "complete_ns", fmt::format("is {}, beyond all time", complete));
  const auto complete_ns = static_cast<Nanoseconds>(complete);
  if (complete_ns < reported_ns_)
    return malformed(
        what, "complete_ns",
        fmt::format("is {}, earlier than the {} of a reply before: time runs backwards",
                    complete_ns, reported_ns_));
  if (status != kNone && !is_status(status))
    return malformed(what, "status", fmt::format("is {:02X}h, which is no SAM status", status));
  if (reserved != 0) return malformed(what, "reserved", fmt::format("is {}, not 0", reserved));

  Reply reply;
  if (kind == Kind::reset) {
    if (status != 0)
      return malformed("the reset", "status", fmt::format("is {:02X}h, not 00h", status));
    if (reply_tag != tag)
      return malformed("the reset", "tag", fmt::format("is {}, not {}", reply_tag, tag));
    if (complete_ns < issue_ns)
      return malformed("the reset", "complete_ns",
                       fmt::format("is {}, before its issue_ns {}", complete_ns, issue_ns));
    reply.none = true;
  } else if (status == kNone) {
    if (kind != Kind::advance)
      return malformed(what, "status", "is FFh (none), though a command is outstanding");
    if (reply_tag != 0)
      return malformed(what, "tag", fmt::format("is {}, not 0 as it must be with FFh", reply_tag));
    if (complete_ns != issue_ns)
      return malformed(what, "complete_ns",
                       fmt::format("is {}, not the {} to advance to", complete_ns, issue_ns));
    if (data_length != 0) return malformed(what, "data_length", "is not 0 as it must be with FFh");
    reply.none = true;
  } else {
    if (!known)
      return malformed(what, "tag", fmt::format("is {}, which is not outstanding", reply_tag));
    const auto& command = found->second;
    if (complete_ns < command.issued_ns)
      return malformed(
          what, "complete_ns",
          fmt::format("is {}, before its issue_ns {}", complete_ns, command.issued_ns));
    if (kind == Kind::advance && complete_ns > issue_ns)
      return malformed(
          what, "complete_ns",
          fmt::format("is {}, later than the {} to advance to", complete_ns, issue_ns));
    if (residual > command.transfer_length)
      return malformed(what, "residual",
                       fmt::format("is {}, more than the transfer_length {}", residual,
                                   command.transfer_length));
    const std::size_t moved = command.transfer_length - residual;
    const bool reads = command.direction == Direction::from_device;
    if (data_length > (reads ? moved : 0))
      return malformed(what, "data_length",
                       fmt::format("is {}, but transfer_length less residual is {}{}", data_length,
                                   moved, reads ? "" : " and its data do not come from the drive"));
    if (reads && data_length < moved && status == 0)
      return malformed(what, "residual",
                       fmt::format("is {}, but only {} of {} bytes came", residual, data_length,
                                   command.transfer_length));
    auto& completion = reply.completion;
    completion.tag = reply_tag;
    completion.status = static_cast<Status>(status);
    const auto* sense = bytes + kReplyHeader;
    completion.sense.assign(sense, sense + sense_length);
    if (command.keep_data)
      completion.data.assign(sense + sense_length, sense + sense_length + data_length);
    // After an error, drives that move nothing may forget to say so.
    completion.residual = reads ? command.transfer_length - static_cast<std::uint32_t>(data_length)
                                : residual;
    completion.issued_ns = command.issued_ns;
    completion.completed_ns = complete_ns;
    outstanding_.erase(found);
  }
  reported_ns_ = complete_ns;
  clock_.reach(complete_ns);
  return reply;
}

// Lets the drive's time reach `time_ns`; what completes on the way waits in arrived_.
Expected<void> ExecDevice::advance(Nanoseconds time_ns) {
  if (auto sent = flush(true); !sent) return sent;
  while (!outstanding_.empty()) {
    auto reply = exchange(Kind::advance, time_ns);
    if (!reply) return tl::unexpected(reply.error());
    if (reply->none) break;
    arrived_.push_back(std::move(reply->completion));
  }
  return {};
}

Completion ExecDevice::next_arrived() {
  auto completion = std::move(arrived_.front());
  arrived_.pop_front();
  return completion;
}

Expected<std::optional<Completion>> ExecDevice::reap() {
  if (broken_) return tl::unexpected(*broken_);
  if (!arrived_.empty()) return next_arrived();
  if (outstanding_.empty()) return std::nullopt;
  auto reply = unsent_.empty() ? exchange(Kind::wait, 0) : exchange(Kind::command, 0);
  if (!reply) return tl::unexpected(reply.error());
  return std::move(reply->completion);
}

Expected<std::optional<Completion>> ExecDevice::reap_until(Nanoseconds deadline_ns) {
  if (broken_) return tl::unexpected(*broken_);
  if (arrived_.empty() && !outstanding_.empty()) {
    // Requests carry no time before what was reported, nor before a command's own issue.
    const Nanoseconds until = std::max({deadline_ns, reported_ns_, last_issue_ns_});
    if (auto sent = flush(true); !sent) return tl::unexpected(sent.error());
    auto reply = exchange(Kind::advance, until);
    if (!reply) return tl::unexpected(reply.error());
    if (!reply->none) arrived_.push_back(std::move(reply->completion));
  }
  if (!arrived_.empty() && arrived_.front().completed_ns <= deadline_ns) return next_arrived();
  clock_.reach(deadline_ns);
  return std::nullopt;
}

Expected<void> ExecDevice::reset() {
  if (broken_) return tl::unexpected(*broken_);
  unsent_.clear();
  std::uint32_t tag = 0xFFFFFFFF;
  while (outstanding_.contains(tag)) --tag;
  last_command_ = "the reset";
  auto reply = exchange(Kind::reset, clock_.now, tag);
  if (!reply) return tl::unexpected(reply.error());
  outstanding_.clear();
  arrived_.clear();
  return {};
}

}  // namespace platter::transport

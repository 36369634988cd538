#include "scsi/drive.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <map>

#include "scsi/command_table.h"
#include "scsi/commands.h"

namespace platter::scsi {
namespace {

constexpr int kMaxUnitAttentions = 16;  // several may be queued after a reset
constexpr int kMaxAborts = 4;
constexpr Nanoseconds kFirstWait = 10 * kMillisecond;
constexpr Nanoseconds kLongestWait = kSecond;
constexpr Nanoseconds kPatience = 60 * kSecond;  // with a drive that is busy or spinning up
constexpr std::uint32_t kContentBlocks = 64;     // read at once to learn contents
constexpr std::uint64_t kFourGig = std::uint64_t{1} << 32;

constexpr std::uint8_t kBecomingReady = 0x04;       // ASC, with ASCQ 01h; others: why it is not ready
constexpr std::uint8_t kInvalidOpcode = 0x20;       // ASC
constexpr std::uint8_t kLbnOutOfRange = 0x21;       // ASC
constexpr std::uint8_t kSequenceError = 0x2C;       // ASC
constexpr std::uint8_t kResetOccurred = 0x29;       // ASC
constexpr std::uint8_t kParametersChanged = 0x2A;   // ASC
constexpr std::uint8_t kDefectListError = 0x19;     // ASC
constexpr std::uint8_t kDefectListNotFound = 0x1C;  // ASC

// What the drive did say to a command, retries done.
struct Answer {
  Completion completion;
  std::optional<Sense> sense;

  bool good() const {
    return completion.status == Status::good || completion.status == Status::condition_met ||
           (completion.status == Status::check_condition && sense && !sense->deferred &&
            (sense->key == SenseKey::no_sense || sense->key == SenseKey::recovered_error));
  }
  bool illegal() const {
    return sense && !sense->deferred && sense->key == SenseKey::illegal_request;
  }
  bool invalid_opcode() const { return illegal() && sense->asc == kInvalidOpcode; }
};

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
  if (sense.asc != kBecomingReady) return "start the drive, or wait until it is ready, and try again";
  switch (sense.ascq) {
    case 0x02:
    case 0x11:
      return "it is spun down: start it (sg_start --start, or enable its enclosure to) and try again";
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

struct PageView {
  PageCode code;
  const std::vector<std::uint8_t>& raw;
};

}  // namespace

struct Drive::Impl {
  Impl(Device& device_, std::string name_)
      : device(device_), name(std::move(name_)), guard(dynamic_cast<const Guard*>(&device_)) {}

  Answer once(const Command& command, std::uint64_t lbn, std::uint32_t blocks);
  Answer ask(const Command& command, std::uint64_t lbn = 0, std::uint32_t blocks = 0);
  Answer must(const Command& command, std::uint64_t lbn = 0, std::uint32_t blocks = 0);
  void fetch_sense(Answer& answer);
  void note_unit_attention(const Sense& sense);
  [[noreturn]] void fail(const Command& command, const Answer& answer, std::uint64_t lbn,
                         std::uint32_t blocks) const;
  std::optional<std::vector<std::uint8_t>> translated(const Command& send, AddressFormat from,
                                                      AddressFormat to);
  std::optional<Translation> translate(std::uint64_t lbn, AddressFormat block,
                                       AddressFormat place);
  std::optional<std::vector<std::uint8_t>> defect_data(const Command& command);
  std::optional<DefectList> defects(bool primary, bool grown, AddressFormat format);
  bool select(const std::vector<std::uint8_t>& page);
  bool change(const PageView& before, const std::vector<std::uint8_t>& wanted,
              const std::function<bool()>& as_wanted);
  Capacity ask_capacity();
  std::optional<PassThrough> pass_through();
  std::optional<AtaSettings> identify_device();
  const model::Identity& known() const {
    if (!identified) throw Error(ExitStatus::internal, name + " was used before it was identified");
    return identity;
  }

  Device& device;
  std::string name;
  const Guard* guard;
  model::Identity identity;
  Inquiry inquiry;
  Capacity capacity;
  bool identified = false;

  std::map<std::uint64_t, std::vector<std::uint8_t>> contents;  // of sectors that are rewritten

  std::optional<ModeForm> mode_form;                  // the one that this drive was seen to accept
  // Formats of page 40h that this drive was seen to answer, or that it answers none.
  std::optional<AddressFormat> block_format, place_format;
  bool translates_not = false;
  std::uint8_t refusal = 0;  // ASC of the last refused translation
  std::map<PageCode, std::vector<std::uint8_t>> recorded;  // pages before the first change
  // Of an ATA drive: the form of ATA PASS-THROUGH that it takes, and its settings before the first change.
  std::optional<PassThrough> ata_form;
  bool asked_for_ata = false;
  std::optional<AtaSettings> recorded_ata, made_ata;
  bool forces_reads = false, forces_writes = false;
  std::optional<std::uint32_t> most_blocks;
  std::vector<LbnRange> left_out;
  bool selecting = false;  // between our own MODE SELECT and the next command that gets through
  bool lost = false;

  std::function<void(std::uint64_t, const std::vector<std::uint8_t>&)> write_callback;
  std::function<void(const CommandRecord&)> command_callback;
  std::uint64_t commands = 0, translations = 0, bytes_written = 0;
  std::uint64_t unit_attentions = 0, resets = 0, busy_replies = 0;
};

Answer Drive::Impl::once(const Command& command, std::uint64_t lbn, std::uint32_t blocks) {
  auto done = device.execute(command);
  if (!done) throw as_error(done.error());
  ++commands;
  Answer answer{std::move(*done), std::nullopt};
  const auto& completion = answer.completion;
  if (completion.status == Status::check_condition) answer.sense = decode_sense(completion.sense);
  if (command_callback)
    command_callback({command.opcode(), lbn, blocks, completion.issued_ns, completion.completed_ns,
                      completion.status});
  if (completion.status == Status::check_condition && !answer.sense) fetch_sense(answer);
  return answer;
}

// Without autosense the sense data wait in the drive for the next command.
void Drive::Impl::fetch_sense(Answer& answer) {
  const auto done = device.execute(request_sense());
  if (!done) throw as_error(done.error());
  ++commands;
  answer.completion.sense = done->data;
  answer.sense = decode_sense(done->data);
}

void Drive::Impl::note_unit_attention(const Sense& sense) {
  ++unit_attentions;
  if (sense.asc != kResetOccurred && sense.asc != kParametersChanged) return;
  // Some drives report a change of parameters to the very host that made it.
  if (sense.asc == kParametersChanged && selecting) return;
  ++resets;
  if (!recorded.empty() || recorded_ata) lost = true;
}

// Sends the command until the drive has really answered it.
Answer Drive::Impl::ask(const Command& command, std::uint64_t lbn, std::uint32_t blocks) {
  int attentions = 0, aborts = 0;
  Nanoseconds wait = kFirstWait;
  const Nanoseconds give_up = device.clock().now_ns() + kPatience;
  for (;;) {
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
    }
    const auto* entry = find_command(command.cdb);
    if (!entry || entry->command_class != CommandClass::reversible_setting) selecting = false;
    return answer;
  }
}

Answer Drive::Impl::must(const Command& command, std::uint64_t lbn, std::uint32_t blocks) {
  auto answer = ask(command, lbn, blocks);
  if (!answer.good()) fail(command, answer, lbn, blocks);
  return answer;
}

void Drive::Impl::fail(const Command& command, const Answer& answer, std::uint64_t lbn,
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

Drive::Drive(Device& guarded, std::string name)
    : impl_(std::make_unique<Impl>(guarded, std::move(name))) {}

Drive::~Drive() {
  try {
    restore_settings();
  } catch (const std::exception&) {
    // The drive is gone or refuses; whoever must know has called restore_settings() before.
  }
}

Clock& Drive::clock() { return impl_->device.clock(); }

void Drive::rest_ns(Nanoseconds time_ns) { clock().sleep_until_ns(now_ns() + time_ns); }

Capacity Drive::Impl::ask_capacity() {
  // Nothing but READ CAPACITY(16) tells the physical block length, and drives before SPC-3 lack it.
  constexpr std::uint8_t kSpc3 = 5;
  const auto short_reply = ask(read_capacity_10());
  const auto short_form = short_reply.good() ? decode_capacity_10(short_reply.completion.data)
                                             : std::optional<Capacity>();
  if (!short_form || inquiry.version >= kSpc3) {
    const auto reply = ask(read_capacity_16());
    if (reply.good())
      if (const auto long_form = decode_capacity_16(reply.completion.data)) return *long_form;
    if (!short_form && !reply.good()) fail(read_capacity_16(), reply, 0, 0);
  }
  if (!short_form)
    throw Error(ExitStatus::protocol,
                name + " does not say its capacity (READ CAPACITY): it can't be measured");
  return *short_form;
}

const model::Identity& Drive::identify() {
  auto& d = *impl_;
  if (d.identified) return d.identity;
  const auto inquiry = decode_inquiry(d.must(scsi::inquiry()).completion.data);
  if (!inquiry)
    throw Error(ExitStatus::protocol,
                d.name + " answers INQUIRY with less than 5 bytes: it is no SCSI drive");
  constexpr std::uint8_t kDisk = 0x00, kZonedDisk = 0x14;
  if (inquiry->qualifier != 0 ||
      (inquiry->device_type != kDisk && inquiry->device_type != kZonedDisk))
    throw Error(ExitStatus::no_device,
                fmt::format("{} is no disk drive (peripheral type {:02X}h, qualifier {}); name "
                            "another device (platter devices lists them)",
                            d.name, inquiry->device_type, inquiry->qualifier));
  d.inquiry = *inquiry;
  d.must(scsi::test_unit_ready());
  const Capacity& capacity = d.capacity = d.ask_capacity();
  auto& identity = d.identity;
  identity.vendor = inquiry->vendor;
  identity.product = inquiry->product;
  identity.revision = inquiry->revision;
  identity.blocks = capacity.blocks;
  identity.block_bytes = capacity.block_bytes;
  identity.physical_block_bytes = capacity.physical_block_bytes;
  if (const auto serial = vpd_page(0x80)) identity.serial = decode_serial(*serial).value_or("");
  identity.name = inquiry->vendor + (inquiry->vendor.empty() ? "" : " ") + inquiry->product;
  d.identified = true;
  return identity;
}

const Inquiry& Drive::inquiry() const { return impl_->known(), impl_->inquiry; }

std::optional<std::vector<std::uint8_t>> Drive::vpd_page(std::uint8_t page) {
  auto reply = impl_->ask(inquiry_vpd(page));
  // Drives without VPD pages may ignore EVPD and answer with the standard data.
  if (!reply.good() || reply.completion.data.size() < 4 || reply.completion.data[1] != page)
    return std::nullopt;
  return std::move(reply.completion.data);
}

std::uint64_t Drive::blocks() const { return impl_->known().blocks; }
std::uint32_t Drive::block_bytes() const { return impl_->known().block_bytes; }
const Capacity& Drive::capacity() const { return impl_->known(), impl_->capacity; }

std::uint32_t Drive::most_blocks() {
  auto& d = *impl_;
  if (d.most_blocks) return *d.most_blocks;
  constexpr std::uint32_t kMostBytes = 1U << 30;  // of what READ(16) could name
  std::uint32_t most = std::max(1U, kMostBytes / block_bytes());
  if (const auto page = vpd_page(0xB0))
    if (const auto limits = decode_block_limits(*page); limits && limits->max_transfer_blocks > 0)
      most = std::min(most, limits->max_transfer_blocks);
  if (const auto bytes = d.device.max_transfer_bytes())
    most = std::min(most, std::max(1U, bytes / block_bytes()));
  d.most_blocks = most;
  return most;
}

void Drive::limit_blocks(std::uint32_t most) { impl_->most_blocks = std::min(most, most_blocks()); }

// SBC-3, GET LBA STATUS: a drive may name as few blocks at once as it likes.
std::optional<std::vector<LbnRange>> Drive::unmapped() {
  if (!capacity().provisioned) return std::nullopt;
  constexpr std::uint32_t kAllocation = 8 + 16 * 64;
  constexpr int kMostCommands = 1000;
  std::vector<LbnRange> ranges;
  std::uint64_t at = 0;
  for (int i = 0; i < kMostCommands; ++i) {
    const auto command = get_lba_status(at, kAllocation);
    const auto reply = impl_->ask(command);
    if (reply.illegal()) return std::nullopt;
    if (!reply.good()) impl_->fail(command, reply, 0, 0);
    const auto found = decode_lba_status(reply.completion.data);
    if (found.empty() || found.front().range.first > at || found.back().range.last < at)
      return std::nullopt;
    for (const LbaStatus& status : found) {
      if (status.mapped || status.range.first >= blocks()) continue;
      const LbnRange range{std::max(at, status.range.first), std::min(status.range.last, blocks() - 1)};
      if (!ranges.empty() && ranges.back().last + 1 == range.first) ranges.back().last = range.last;
      else if (range.first <= range.last) ranges.push_back(range);
    }
    if (found.back().range.last >= blocks() - 1) return ranges;
    at = found.back().range.last + 1;
  }
  return std::nullopt;
}

void Drive::leave_out(std::vector<LbnRange> ranges) { impl_->left_out = std::move(ranges); }

const std::vector<LbnRange>& Drive::left_out() const { return impl_->left_out; }

bool Drive::leaves_out(std::uint64_t lbn, std::uint32_t blocks) const {
  const auto& ranges = impl_->left_out;
  const auto range = std::ranges::lower_bound(ranges, lbn, {}, &LbnRange::last);
  return range != ranges.end() && range->first < lbn + blocks;
}

Completion Drive::read(std::uint64_t lbn, std::uint32_t blocks, bool force_unit_access,
                       bool keep_data) {
  return read_as(lbn, blocks, force_unit_access || impl_->forces_reads, keep_data);
}

Completion Drive::read_as(std::uint64_t lbn, std::uint32_t blocks, bool force_unit_access, bool keep_data) {
  const auto bytes = block_bytes();
  const CacheBits bits{.force_unit_access = force_unit_access};
  require_length(lbn, blocks);
  if (leaves_out(lbn, blocks)) {
    Sense nothing_there;
    nothing_there.key = SenseKey::medium_error;
    throw DriveError(ExitStatus::drive_error,
                     fmt::format("{} has nothing on the media for LBN {} to {}; leave these blocks out",
                                 impl_->name, lbn, lbn + blocks - 1),
                     nothing_there, lbn, blocks);
  }
  auto command = lbn + blocks <= kFourGig && blocks <= 0xFFFF ? read_10(lbn, blocks, bytes, bits)
                                                              : read_16(lbn, blocks, bytes, bits);
  command.keep_data = keep_data;
  auto completion = impl_->must(command, lbn, blocks).completion;
  if (!keep_data) completion.data.clear();
  return completion;
}

Completion Drive::read_as_cached(std::uint64_t lbn) { return read_as(lbn, 1, false, false); }

void Drive::require_length(std::uint64_t lbn, std::uint32_t blocks) const {
  if (!impl_->most_blocks || blocks <= *impl_->most_blocks) return;
  throw Error(ExitStatus::unsupported,
              fmt::format("{} takes {} blocks in one command at most (VPD page B0h, or the host's path), "
                          "not the {} of LBN {} to {}",
                          impl_->name, *impl_->most_blocks, blocks, lbn, lbn + blocks - 1));
}

void Drive::learn_contents(std::uint64_t lbn, std::uint32_t blocks) {
  auto& contents = impl_->contents;
  const std::size_t bytes = block_bytes();
  const auto end = lbn + blocks;
  const auto most = std::min(kContentBlocks, impl_->most_blocks.value_or(kContentBlocks));
  for (auto at = lbn; at < end;) {
    if (contents.contains(at)) {
      ++at;
      continue;
    }
    std::uint32_t run = 1;
    while (run < most && at + run < end && !contents.contains(at + run)) ++run;
    const auto reply = read(at, run, false, true);
    if (reply.data.size() != run * bytes)
      throw DriveError(ExitStatus::drive_error,
                       fmt::format("{} gave {} of the {} bytes of LBN {} to {}, so these blocks "
                                   "can't be rewritten; leave them out",
                                   impl_->name, reply.data.size(), run * bytes, at, at + run - 1),
                       std::nullopt, at, run);
    for (std::uint32_t i = 0; i < run; ++i)
      contents[at + i].assign(reply.data.begin() + i * bytes, reply.data.begin() + (i + 1) * bytes);
    at += run;
  }
}

bool Drive::may_write(std::uint64_t lbn, std::uint32_t blocks) const {
  if (!impl_->guard) return false;
  const auto& ranges = impl_->guard->permission().writes;
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const LbnRange& range) { return range.holds(lbn, blocks); });
}

void Drive::put_back(std::uint64_t lbn, const std::vector<std::uint8_t>& contents) {
  const std::size_t bytes = block_bytes();
  const auto blocks = static_cast<std::uint32_t>(contents.size() / bytes);
  for (std::uint32_t i = 0; i < blocks; ++i)
    impl_->contents[lbn + i].assign(contents.begin() + static_cast<std::ptrdiff_t>(i * bytes),
                                    contents.begin() + static_cast<std::ptrdiff_t>((i + 1) * bytes));
  const auto most = impl_->most_blocks.value_or(blocks);
  bool takes_fua = true;
  for (std::uint32_t i = 0; i < blocks; i += most) {
    const std::uint32_t count = std::min(blocks - i, most);
    if (takes_fua) {
      try {
        write(lbn + i, count, true);
        continue;
      } catch (const DriveError& error) {
        if (!error.refused()) throw;
        takes_fua = false;
      }
    }
    write(lbn + i, count);
  }
  if (!takes_fua) impl_->ask(synchronize_cache_10());  // where there is that at least
}

Completion Drive::write(std::uint64_t lbn, std::uint32_t blocks, bool force_unit_access) {
  if (!may_write(lbn, blocks))
    throw Error(ExitStatus::refused,
                fmt::format("{} may not be written at LBN {} to {}; name these blocks with "
                            "--allow-writes, or leave writes out",
                            impl_->name, lbn, lbn + blocks - (blocks ? 1 : 0)));
  require_length(lbn, blocks);
  learn_contents(lbn, blocks);
  std::vector<std::uint8_t> data;
  data.reserve(std::size_t{blocks} * block_bytes());
  auto sector = impl_->contents.find(lbn);
  for (std::uint32_t i = 0; i < blocks; ++i, ++sector)
    data.insert(data.end(), sector->second.begin(), sector->second.end());
  if (impl_->write_callback) impl_->write_callback(lbn, data);
  impl_->bytes_written += data.size();
  const CacheBits bits{.force_unit_access = force_unit_access || impl_->forces_writes};
  const auto command = lbn + blocks <= kFourGig && blocks <= 0xFFFF
                           ? write_10(lbn, blocks, std::move(data), bits)
                           : write_16(lbn, blocks, std::move(data), bits);
  return impl_->must(command, lbn, blocks).completion;
}

Completion Drive::seek(std::uint64_t lbn) { return impl_->must(seek_10(lbn), lbn, 1).completion; }

Completion Drive::test_unit_ready() { return impl_->must(scsi::test_unit_ready()).completion; }

Completion Drive::synchronize_cache() { return impl_->must(synchronize_cache_10()).completion; }

// SEND DIAGNOSTIC and RECEIVE DIAGNOSTIC RESULTS belong together: a reset in between makes the
// drive forget the question, so both are sent again. So they are where what comes is no answer to
// this question.
std::optional<std::vector<std::uint8_t>> Drive::Impl::translated(const Command& send,
                                                                 AddressFormat from,
                                                                 AddressFormat to) {
  int mixed_up = 0;
  for (int attempt = 0; attempt < kMaxUnitAttentions; ++attempt) {
    const auto sent = ask(send);
    ++translations;
    if (sent.illegal()) {
      refusal = sent.sense->asc;
      return std::nullopt;
    }
    if (!sent.good()) fail(send, sent, 0, 0);
    const auto attentions = unit_attentions;
    const auto command = receive_translation();
    auto reply = ask(command);
    if (unit_attentions != attentions) continue;
    const bool forgotten = reply.illegal() && reply.sense->asc == kSequenceError;
    if (reply.illegal() && !forgotten) {
      refusal = reply.sense->asc;
      return std::nullopt;
    }
    if (!forgotten && !reply.good()) fail(command, reply, 0, 0);
    if (!forgotten && is_translation(reply.completion.data, from, to))
      return std::move(reply.completion.data);
    if (++mixed_up >= kMaxAborts) {
      refusal = 0;
      return std::nullopt;
    }
  }
  throw Error(ExitStatus::drive_error,
              name + " is reset again and again during address translation; find out by what");
}

std::optional<Translation> Drive::Impl::translate(std::uint64_t lbn, AddressFormat block,
                                                  AddressFormat place) {
  const auto reply = translated(translate_block(lbn, block, place), block, place);
  return reply ? decode_translation(*reply) : std::nullopt;
}

std::optional<Translation> Drive::translate(std::uint64_t lbn) {
  auto& d = *impl_;
  if (d.translates_not) return std::nullopt;
  const bool is_long = lbn >= kFourGig;
  if (d.block_format)
    return d.translate(lbn, is_long ? AddressFormat::long_block : *d.block_format, *d.place_format);
  for (const auto place : {AddressFormat::physical_sector, AddressFormat::bytes_from_index}) {
    for (const auto block : {AddressFormat::block, AddressFormat::long_block}) {
      if (is_long && block == AddressFormat::block) continue;
      if (auto found = d.translate(lbn, block, place)) {
        d.block_format = block;
        d.place_format = place;
        return found;
      }
      if (d.refusal == kLbnOutOfRange) return std::nullopt;
      d.translates_not = d.refusal == kInvalidOpcode;
      if (d.translates_not) return std::nullopt;
    }
  }
  d.translates_not = true;
  return std::nullopt;
}

std::optional<PlaceContent> Drive::translate_back(const PhysicalAddress& place) {
  if (place.cylinder >= 1U << 24 || place.head > 0xFF) return std::nullopt;
  const auto from = impl_->place_format.value_or(AddressFormat::physical_sector);
  const auto to = blocks() > kFourGig ? AddressFormat::long_block
                                      : impl_->block_format.value_or(AddressFormat::block);
  const auto reply = impl_->translated(translate_place(place, from, to), from, to);
  auto content = reply ? decode_translation_back(*reply) : std::nullopt;
  if (content && content->lbn && *content->lbn >= blocks()) content->lbn.reset();
  return content;
}

std::optional<PhysicalAddress> Drive::sector_at(const PhysicalAddress& bytes_from_index) {
  constexpr auto kFrom = AddressFormat::bytes_from_index, kTo = AddressFormat::physical_sector;
  if (bytes_from_index.cylinder >= 1U << 24 || bytes_from_index.head > 0xFF) return std::nullopt;
  const auto reply = impl_->translated(translate_place(bytes_from_index, kFrom, kTo), kFrom, kTo);
  const auto found = reply ? decode_translation(*reply) : std::nullopt;
  return found ? std::optional<PhysicalAddress>(found->places.front()) : std::nullopt;
}

std::optional<PhysicalAddress> Drive::bytes_from_index(std::uint64_t lbn) {
  const auto block = lbn >= kFourGig ? AddressFormat::long_block
                                     : impl_->block_format.value_or(AddressFormat::block);
  const auto found = impl_->translate(lbn, block, AddressFormat::bytes_from_index);
  return found ? std::optional<PhysicalAddress>(found->places.front()) : std::nullopt;
}

std::optional<std::vector<std::uint8_t>> Drive::Impl::defect_data(const Command& command) {
  auto reply = ask(command);
  const auto& sense = reply.sense;
  if (reply.illegal() ||
      (sense && (sense->asc == kDefectListError || sense->asc == kDefectListNotFound) &&
       !reply.good()))
    return std::nullopt;
  if (!reply.good()) fail(command, reply, 0, 0);
  return std::move(reply.completion.data);
}

std::optional<DefectList> Drive::Impl::defects(bool primary, bool grown, AddressFormat format) {
  constexpr std::uint32_t kLongestShortList = 0xFFFF - 4;
  // The header first: it says how long the list is.
  const auto header = defect_data(read_defect_data_10(primary, grown, format, 4));
  const auto bytes = header ? defect_list_bytes_10(*header) : std::nullopt;
  if (bytes && *bytes + 8 <= kLongestShortList) {
    const auto reply = defect_data(
        read_defect_data_10(primary, grown, format, static_cast<std::uint16_t>(4 + *bytes)));
    return reply ? decode_defects_10(*reply) : std::nullopt;
  }
  const auto long_header = defect_data(read_defect_data_12(primary, grown, format, 8));
  const auto long_bytes = long_header ? defect_list_bytes_12(*long_header) : std::nullopt;
  constexpr std::uint32_t kMost = 8U << 20;  // a million defects: nothing honest is longer
  if (!long_bytes || *long_bytes > kMost) return std::nullopt;
  const auto reply = defect_data(read_defect_data_12(primary, grown, format, 8 + *long_bytes));
  return reply ? decode_defects_12(*reply) : std::nullopt;
}

std::optional<DefectList> Drive::defects(bool primary, bool grown) {
  const auto wanted = impl_->place_format.value_or(AddressFormat::physical_sector);
  const auto other = wanted == AddressFormat::physical_sector ? AddressFormat::bytes_from_index
                                                              : AddressFormat::physical_sector;
  auto list = impl_->defects(primary, grown, wanted);
  if (list && list->format == wanted) return list;
  auto in_other_format = impl_->defects(primary, grown, other);
  return in_other_format ? in_other_format : list;
}

// MODE SENSE(6) and (10) are both optional for someone: what was seen to work is asked again.
std::optional<std::vector<std::uint8_t>> Drive::mode_page(std::uint8_t page, PageControl control,
                                                          std::uint8_t subpage) {
  const auto try_form = [&](ModeForm form) -> std::optional<std::vector<std::uint8_t>> {
    const auto command = mode_sense(form, page, control, false, subpage);
    const auto reply = impl_->ask(command);
    if (reply.illegal()) return std::nullopt;
    if (!reply.good()) impl_->fail(command, reply, 0, 0);
    auto found = find_mode_page(form, reply.completion.data, page, subpage);
    if (found) impl_->mode_form = form;
    return found;
  };
  if (impl_->mode_form) return try_form(*impl_->mode_form);
  if (auto found = try_form(ModeForm::six)) return found;
  return try_form(ModeForm::ten);
}

std::optional<CachePage> Drive::cache_page(PageControl control) {
  const auto page = mode_page(kCachingPage.page, control);
  return page ? decode_cache_page(*page) : std::nullopt;
}

// One page, for now only. True if the drive took it.
bool Drive::Impl::select(const std::vector<std::uint8_t>& page) {
  const auto try_form = [&](ModeForm form) {
    const auto command = mode_select(form, page);
    selecting = true;
    auto answer = ask(command);
    if (!answer.good() && !answer.illegal()) fail(command, answer, 0, 0);
    return answer;
  };
  const auto form = mode_form.value_or(ModeForm::six);
  auto answer = try_form(form);
  if (answer.invalid_opcode())
    answer = try_form(form == ModeForm::six ? ModeForm::ten : ModeForm::six);
  return answer.good();
}

// The page as it came at the first change is kept. A page that the drive took and does not show as
// wanted is set back.
bool Drive::Impl::change(const PageView& before, const std::vector<std::uint8_t>& wanted,
                         const std::function<bool()>& as_wanted) {
  const bool first = recorded.emplace(before.code, before.raw).second;
  const bool taken = select(wanted);
  if (taken && as_wanted()) return true;
  if (taken) select(before.raw);
  if (first) recorded.erase(before.code);
  return false;
}

bool Drive::set_cache_page(bool write_cache_enabled, bool read_cache_disabled,
                           bool read_ahead_disabled) {
  const auto before = cache_page();
  const auto wanted = before ? with_cache_bits(before->raw, write_cache_enabled,
                                               read_cache_disabled, read_ahead_disabled)
                             : std::nullopt;
  if (!wanted || wanted->size() != 2U + (*wanted)[1]) return false;
  const auto as_wanted = [&] {
    const auto after = cache_page();
    return after && after->write_cache_enabled == write_cache_enabled &&
           after->read_cache_disabled == read_cache_disabled &&
           after->read_ahead_disabled == read_ahead_disabled;
  };
  return *wanted == before->raw || impl_->change({kCachingPage, before->raw}, *wanted, as_wanted);
}

bool Drive::set_cache(bool write_cache_enabled, bool read_cache_disabled,
                      bool read_ahead_disabled) {
  impl_->forces_reads = impl_->forces_writes = false;
  bool done = set_cache_page(write_cache_enabled, read_cache_disabled, read_ahead_disabled);
  if (!done) {
    // Of what a drive without a write cache, or without look-ahead, has none of, nothing need be set.
    const auto now = ata_settings();
    AtaSettings wanted;
    if (now && now->write_cache) wanted.write_cache = write_cache_enabled;
    if (now && now->look_ahead) wanted.look_ahead = !read_ahead_disabled;
    done = now && change_ata(wanted);
    if (done && read_cache_disabled) impl_->forces_reads = takes_forced_reads();
  }
  if (done) impl_->lost = false;
  return done;
}

bool Drive::forces_reads() const { return impl_->forces_reads; }

bool Drive::forces_writes() const { return impl_->forces_writes; }

void Drive::force_access(bool reads, bool writes) {
  impl_->forces_reads = reads;
  impl_->forces_writes = writes;
}

// A translation may refuse FUA for reads.
bool Drive::takes_forced_reads() {
  return impl_->ask(read_10(0, 1, block_bytes(), {.force_unit_access = true})).good();
}

// The form that the translation takes; nullopt: there is no ATA drive, or nothing gets through to it.
std::optional<PassThrough> Drive::Impl::pass_through() {
  if (std::exchange(asked_for_ata, true)) return ata_form;
  const auto page = ask(inquiry_vpd(0x89));
  if (!page.good() || page.completion.data.size() < 4 || page.completion.data[1] != 0x89)
    return std::nullopt;
  for (const auto form : {PassThrough::sixteen, PassThrough::twelve}) {
    const auto reply = ask(scsi::identify_device(form));
    if (!reply.good() || !decode_identify_device(reply.completion.data)) continue;
    ata_form = form;
    break;
  }
  return ata_form;
}

std::optional<AtaSettings> Drive::Impl::identify_device() {
  if (!pass_through()) return std::nullopt;
  const auto reply = ask(scsi::identify_device(*ata_form));
  return reply.good() ? decode_identify_device(reply.completion.data) : std::nullopt;
}

std::optional<AtaSettings> Drive::ata_settings() { return impl_->identify_device(); }

// IDENTIFY DEVICE says whether the drive took it; what it did not take is set back.
bool Drive::change_ata(const AtaSettings& wanted) {
  auto& d = *impl_;
  const auto before = ata_settings();
  if (!before) return false;
  const auto send = [&](const AtaSettings& from, const AtaSettings& to) {
    for (const Command& command : changes(*d.ata_form, from, to)) {
      d.selecting = true;
      if (!d.ask(command).good()) return;
    }
  };
  const bool first = !d.recorded_ata;
  if (first) d.recorded_ata = before;
  send(*before, wanted);
  const auto after = ata_settings();
  if (after && after->satisfies(wanted)) {
    d.made_ata = after;
    return true;
  }
  if (after) send(*after, *before);
  if (first) d.recorded_ata.reset();
  return false;
}

bool Drive::features_hold() {
  return !impl_->made_ata || ata_settings() == impl_->made_ata;
}

bool Drive::restore_ata(const AtaSettings& settings) {
  const auto now = ata_settings();
  return now && (now->satisfies(settings) || change_ata(settings));
}

void Drive::keep_settings() {
  impl_->recorded.clear();
  impl_->recorded_ata.reset();
  impl_->made_ata.reset();
  impl_->lost = false;
}

void Drive::restore_recorded_ata(bool power_level_too) {
  auto& d = *impl_;
  d.forces_reads = d.forces_writes = false;
  if (!d.recorded_ata) return;
  AtaSettings wanted = *d.recorded_ata;
  if (!power_level_too) wanted.power_level.reset();
  if (!restore_ata(wanted))
    throw NotTakenBack(d.name + " did not take its own settings of SET FEATURES back");
  d.made_ata = ata_settings();
  if (power_level_too) {
    d.recorded_ata.reset();
    d.made_ata.reset();
  }
}

// Some drives do not let power management be disabled, but all let it be set to most performance.
Stopped Drive::stop_power_management() {
  const auto now = ata_settings();
  if (!now || !now->power_level || *now->power_level == 0) return Stopped::nothing_to_stop;
  AtaSettings wanted;
  wanted.power_level = std::uint8_t{0};
  if (change_ata(wanted)) return Stopped::stopped;
  wanted.power_level = kMostPerformance;
  return change_ata(wanted) ? Stopped::stopped : Stopped::goes_on;
}

std::optional<std::uint8_t> Drive::ata_power_mode() {
  if (!impl_->pass_through()) return std::nullopt;
  return decode_power_mode(impl_->ask(check_power_mode(*impl_->ata_form)).completion.sense);
}

// A value that the drive made another of is taken too: the page says which it is.
bool Drive::set_cache_fields(std::span<const CacheFieldValue> values) {
  const auto before = mode_page(kCachingPage.page, PageControl::current);
  if (!before) return false;
  auto wanted = *before;
  for (const auto& [field, value] : values) {
    if (!has_field(*before, *field) || value > most_of(*field)) return false;
    set_value(wanted, *field, value);
  }
  if (wanted == *before) return true;
  const auto shows_change = [&] {
    const auto after = mode_page(kCachingPage.page, PageControl::current);
    return after && std::ranges::all_of(values, [&](const CacheFieldValue& of) {
             if (!has_field(*after, *of.field)) return false;
             const std::uint32_t now = value_of(*after, *of.field);
             return now == of.value || now != value_of(*before, *of.field);
           });
  };
  return impl_->change({kCachingPage, *before}, wanted, shows_change);
}

Stopped Drive::stop(PageCode code, StoppedPage (*stopped_page)(Bytes)) {
  const auto before = mode_page(code.page, PageControl::current, code.subpage);
  const auto wanted = before ? stopped_page(*before) : std::nullopt;
  // Where no cache could be set, this is all there is to be made anew.
  if (!impl_->recorded.contains(kCachingPage) && !impl_->recorded_ata) impl_->lost = false;
  if (!wanted || *wanted == *before) return Stopped::nothing_to_stop;
  const auto as_wanted = [&] { return shows(*wanted); };
  return impl_->change({code, *before}, *wanted, as_wanted) ? Stopped::stopped : Stopped::goes_on;
}

Stopped Drive::stop_background_scan() {
  return stop(kBackgroundControlPage, without_background_scan);
}

Stopped Drive::stop_power_conditions() {
  return stop(kPowerConditionPage, without_power_conditions);
}

// PS, the first bit, says only whether the page could be saved.
bool Drive::shows(const std::vector<std::uint8_t>& page) {
  const auto code = code_of(page);
  if (!code) return false;
  const auto now = mode_page(code->page, PageControl::current, code->subpage);
  return now && std::equal(now->begin() + 1, now->end(), page.begin() + 1, page.end());
}

bool Drive::restore_page(const std::vector<std::uint8_t>& raw) {
  return code_of(raw) && impl_->select(raw) && shows(raw);
}

void Drive::put_back_page(const std::vector<std::uint8_t>& raw) {
  if (!restore_page(raw))
    throw NotTakenBack(fmt::format("{} did not take its own settings of mode page {:02X}h back", impl_->name,
                                   raw.front() & 0x3F));
}

void Drive::restore_recorded(PageCode code) {
  const auto page = impl_->recorded.find(code);
  if (page == impl_->recorded.end()) return;
  put_back_page(page->second);
  impl_->recorded.erase(page);
}

void Drive::restore_cache() {
  restore_recorded(kCachingPage);
  restore_recorded_ata(false);
  impl_->lost = false;
}

void Drive::restore_settings() {
  std::exception_ptr failed;
  for (const PageCode code : {kCachingPage, kPowerConditionPage, kBackgroundControlPage}) {
    try {
      restore_recorded(code);
    } catch (const Error&) {
      failed = std::current_exception();  // the others are worth restoring all the same
    }
  }
  try {
    restore_recorded_ata(true);
  } catch (const Error&) {
    failed = std::current_exception();
  }
  if (failed) std::rethrow_exception(failed);
  impl_->lost = false;
}

std::optional<std::vector<std::uint8_t>> Drive::recorded_settings() const {
  const auto page = impl_->recorded.find(kCachingPage);
  return page == impl_->recorded.end() ? std::nullopt : std::optional(page->second);
}
bool Drive::settings_may_be_lost() const { return impl_->lost; }

void Drive::on_write(
    std::function<void(std::uint64_t, const std::vector<std::uint8_t>&)> callback) {
  impl_->write_callback = std::move(callback);
}
void Drive::on_command(std::function<void(const CommandRecord&)> callback) {
  impl_->command_callback = std::move(callback);
}

std::uint64_t Drive::commands() const { return impl_->commands; }
std::uint64_t Drive::translations() const { return impl_->translations; }
std::uint64_t Drive::bytes_written() const { return impl_->bytes_written; }
std::uint64_t Drive::unit_attentions() const { return impl_->unit_attentions; }
std::uint64_t Drive::resets() const { return impl_->resets; }
std::uint64_t Drive::busy_replies() const { return impl_->busy_replies; }

}  // namespace platter::scsi

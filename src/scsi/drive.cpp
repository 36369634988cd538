#include "scsi/drive.h"

#include <fmt/core.h>

#include <algorithm>

#include "scsi/commands.h"
#include "scsi/drive_link.h"

namespace platter::scsi {
namespace {

constexpr std::uint32_t kContentBlocks = 64;  // read at once to learn contents

}  // namespace

Drive::Drive(Device& guarded, std::string name)
    : link_(std::make_unique<DriveLink>(guarded, std::move(name))),
      settings_(*link_),
      addresses_(*link_) {}

Drive::~Drive() {
  try {
    settings_.restore();
  } catch (const std::exception&) {
    // The drive is gone or refuses; whoever must know has called settings().restore() before.
  }
}

Clock& Drive::clock() { return link_->device.clock(); }

void Drive::rest_ns(Nanoseconds time_ns) { clock().sleep_until_ns(now_ns() + time_ns); }

Capacity DriveLink::ask_capacity() {
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
  auto& d = *link_;
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
  d.physical = PhysicalBlocks(capacity);
  if (d.guard) d.guard->set_physical_blocks(d.physical);
  d.identified = true;
  d.may_be_another = false;
  return identity;
}

void Drive::require_same_drive() { link_->require_same_drive(); }

const Inquiry& Drive::inquiry() const { return link_->known(), link_->inquiry; }

std::optional<std::vector<std::uint8_t>> Drive::vpd_page(std::uint8_t page) {
  auto reply = link_->ask(inquiry_vpd(page));
  // Drives without VPD pages may ignore EVPD and answer with the standard data.
  if (!reply.good() || reply.completion.data.size() < 4 || reply.completion.data[1] != page)
    return std::nullopt;
  return std::move(reply.completion.data);
}

std::uint64_t Drive::blocks() const { return link_->known().blocks; }
std::uint32_t Drive::block_bytes() const { return link_->known().block_bytes; }
const PhysicalBlocks& Drive::physical_blocks() const { return link_->known(), link_->physical; }
const Capacity& Drive::capacity() const { return link_->known(), link_->capacity; }

std::uint32_t Drive::most_blocks() {
  auto& d = *link_;
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

void Drive::limit_blocks(std::uint32_t most) { link_->most_blocks = std::min(most, most_blocks()); }

// SBC-3, GET LBA STATUS: a drive may name as few blocks at once as it likes.
std::optional<std::vector<LbnRange>> Drive::unmapped() {
  if (!capacity().provisioned) return std::nullopt;
  constexpr std::uint32_t kAllocation = 8 + 16 * 64;
  constexpr int kMostCommands = 1000;
  std::vector<LbnRange> ranges;
  std::uint64_t at = 0;
  for (int i = 0; i < kMostCommands; ++i) {
    const auto command = get_lba_status(at, kAllocation);
    const auto reply = link_->ask(command);
    if (reply.illegal()) return std::nullopt;
    if (!reply.good()) link_->fail(command, reply, 0, 0);
    const auto found = decode_lba_status(reply.completion.data);
    if (found.empty() || found.front().range.first > at || found.back().range.last < at)
      return std::nullopt;
    for (const LbaStatus& status : found) {
      if (status.mapped || status.range.first >= blocks()) continue;
      const LbnRange range{std::max(at, status.range.first),
                           std::min(status.range.last, blocks() - 1)};
      if (!ranges.empty() && ranges.back().last + 1 == range.first)
        ranges.back().last = range.last;
      else if (range.first <= range.last)
        ranges.push_back(range);
    }
    if (found.back().range.last >= blocks() - 1) return ranges;
    at = found.back().range.last + 1;
  }
  return std::nullopt;
}

void Drive::leave_out(std::vector<LbnRange> ranges) { link_->left_out = std::move(ranges); }

void Drive::skip(std::vector<LbnRange> ranges) {
  if (link_->guard) link_->guard->skip(std::move(ranges));
}

const std::vector<LbnRange>& Drive::left_out() const { return link_->left_out; }

bool Drive::leaves_out(std::uint64_t lbn, std::uint32_t blocks) const {
  const auto& ranges = link_->left_out;
  const auto range = std::ranges::lower_bound(ranges, lbn, {}, &LbnRange::last);
  return range != ranges.end() && range->first < lbn + blocks;
}

Completion Drive::read(std::uint64_t lbn, std::uint32_t blocks, bool force_unit_access,
                       bool keep_data) {
  return read_as(lbn, blocks, force_unit_access || link_->forces_reads, keep_data);
}

Completion Drive::read_as(std::uint64_t lbn, std::uint32_t blocks, bool force_unit_access,
                          bool keep_data) {
  const auto bytes = block_bytes();
  const CacheBits bits{.force_unit_access = force_unit_access};
  require_length(lbn, blocks);
  require_not_left_out(lbn, blocks);
  auto command = fits_ten_bytes(lbn, blocks) ? read_10(lbn, blocks, bytes, bits)
                                             : read_16(lbn, blocks, bytes, bits);
  command.keep_data = keep_data;
  note_read(lbn, blocks);  // whatever the drive says to it
  auto completion = link_->must(command, lbn, blocks).completion;
  if (!keep_data) completion.data.clear();
  return completion;
}

void Drive::note_read(std::uint64_t lbn, std::uint32_t blocks) {
  link_->read_blocks.add(physical_blocks().covering(lbn, blocks));
}

bool Drive::was_read(std::uint64_t lbn, std::uint32_t blocks) const {
  return link_->read_blocks.any_of(physical_blocks().covering(lbn, blocks));
}

void Drive::require_not_left_out(std::uint64_t lbn, std::uint32_t blocks) const {
  if (!leaves_out(lbn, blocks)) return;
  Sense nothing_there;
  nothing_there.key = SenseKey::medium_error;
  throw DriveError(
      ExitStatus::drive_error,
      fmt::format("LBN {} to {} of {} hold blocks that are left out (nothing of them is "
                  "on the media, or they are skipped); choose others",
                  lbn, lbn + blocks - 1, link_->name),
      nothing_there, lbn, blocks);
}

Completion Drive::read_as_cached(std::uint64_t lbn) { return read_as(lbn, 1, false, false); }

void Drive::require_length(std::uint64_t lbn, std::uint32_t blocks) const {
  if (!link_->most_blocks || blocks <= *link_->most_blocks) return;
  throw Error(
      ExitStatus::unsupported,
      fmt::format("{} takes {} blocks in one command at most (VPD page B0h, or the host's path), "
                  "not the {} of LBN {} to {}",
                  link_->name, *link_->most_blocks, blocks, lbn, lbn + blocks - 1));
}

void Drive::learn_contents(std::uint64_t lbn, std::uint32_t blocks) {
  auto& contents = link_->contents;
  const std::size_t bytes = block_bytes();
  const LbnRange all = physical_blocks().covering(lbn, blocks);
  const auto end = all.last + 1;
  const auto most = std::min(kContentBlocks, link_->most_blocks.value_or(kContentBlocks));
  for (auto at = all.first; at < end;) {
    if (contents.contains(at)) {
      ++at;
      continue;
    }
    std::uint32_t run = 1;
    while (run < most && at + run < end && !contents.contains(at + run)) ++run;
    auto reply = read(at, run, false, true);
    constexpr int kTries = 3;
    for (int i = 1; i < kTries && reply.data.size() != run * bytes; ++i)
      reply = read(at, run, false, true);
    if (reply.data.size() != run * bytes)
      throw DriveError(ExitStatus::drive_error,
                       fmt::format("{} gave {} of the {} bytes of LBN {} to {}, so these blocks "
                                   "can't be rewritten; leave them out",
                                   link_->name, reply.data.size(), run * bytes, at, at + run - 1),
                       std::nullopt, at, run);
    for (std::uint32_t i = 0; i < run; ++i)
      contents[at + i].assign(reply.data.begin() + i * bytes, reply.data.begin() + (i + 1) * bytes);
    at += run;
  }
}

bool Drive::may_write(std::uint64_t lbn, std::uint32_t blocks) const {
  return link_->guard && link_->guard->may_write(lbn, blocks);
}

void Drive::permit_writes(std::vector<LbnRange> writes) {
  if (link_->guard) link_->guard->permit_writes(std::move(writes));
}

Command DriveLink::write_command(std::uint64_t lbn, std::vector<std::uint8_t> data,
                                 bool force_unit_access) const {
  const auto blocks = static_cast<std::uint32_t>(data.size() / identity.block_bytes);
  const CacheBits bits{.force_unit_access = force_unit_access || forces_writes};
  return fits_ten_bytes(lbn, blocks) ? write_10(lbn, blocks, std::move(data), bits)
                                     : write_16(lbn, blocks, std::move(data), bits);
}

void Drive::put_back(std::uint64_t lbn, const std::vector<std::uint8_t>& contents) {
  const std::size_t bytes = block_bytes();
  const auto blocks = static_cast<std::uint32_t>(contents.size() / bytes);
  const std::uint32_t unit = physical_blocks().logical_blocks();
  const std::uint32_t longest = link_->most_blocks.value_or(blocks);
  const std::uint32_t most = longest > unit ? longest - longest % unit : longest;
  bool takes_fua = true;
  for (std::uint32_t i = 0; i < blocks; i += most) {
    const std::uint32_t count = std::min(blocks - i, most);
    const auto* from = contents.data() + i * bytes;
    const auto send = [&] {
      link_->send_write(link_->write_command(lbn + i, {from, from + count * bytes}, takes_fua),
                        lbn + i, count);
    };
    try {
      send();
    } catch (const DriveError& error) {
      if (!error.refused() || !takes_fua) throw;
      takes_fua = false;
      send();
    }
  }
  if (!takes_fua) link_->ask(synchronize_cache_10());  // where there is that at least
}

Completion Drive::write(std::uint64_t lbn, std::uint32_t blocks, bool force_unit_access) {
  if (link_->guard && link_->guard->why_writes_ended())
    throw Error(ExitStatus::refused,
                *link_->guard->why_writes_ended() + ", and so nothing more is written");
  if (!may_write(lbn, blocks))
    throw Error(ExitStatus::refused,
                fmt::format("{} may not be written at LBN {} to {}; name these blocks with "
                            "--allow-writes, or leave writes out",
                            link_->name, lbn, lbn + blocks - (blocks ? 1 : 0)));
  require_length(lbn, blocks);
  learn_contents(lbn, blocks);
  if (link_->write_callback) {
    const LbnRange all = physical_blocks().covering(lbn, blocks);
    link_->write_callback(all.first, link_->known_contents(all.first, all.last + 1 - all.first));
  }
  std::vector<std::uint8_t> data = link_->known_contents(lbn, blocks);
  link_->bytes_written += data.size();
  return link_->send_write(link_->write_command(lbn, std::move(data), force_unit_access), lbn,
                           blocks);
}

std::vector<std::uint8_t> DriveLink::known_contents(std::uint64_t lbn, std::uint64_t blocks) const {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(blocks * identity.block_bytes);
  auto sector = contents.find(lbn);
  for (std::uint64_t i = 0; i < blocks; ++i, ++sector)
    bytes.insert(bytes.end(), sector->second.begin(), sector->second.end());
  return bytes;
}

Completion Drive::verify(std::uint64_t lbn, std::uint32_t blocks) {
  require_not_left_out(lbn, blocks);
  return link_
      ->must(fits_ten_bytes(lbn, blocks) ? verify_10(lbn, blocks) : verify_16(lbn, blocks), lbn,
             blocks)
      .completion;
}

Completion Drive::seek(std::uint64_t lbn) {
  require_not_left_out(lbn, 1);
  return link_->must(seek_10(lbn), lbn, 1).completion;
}

Completion Drive::test_unit_ready() { return link_->must(scsi::test_unit_ready()).completion; }

std::unique_ptr<Stamping> Drive::stamp() { return link_->device.stamp(); }

Completion Drive::synchronize_cache() { return link_->must(synchronize_cache_10()).completion; }

void Drive::on_write(
    std::function<void(std::uint64_t, const std::vector<std::uint8_t>&)> callback) {
  link_->write_callback = std::move(callback);
}
void Drive::on_command(std::function<void(const CommandRecord&)> callback) {
  link_->command_callback = std::move(callback);
}

std::uint64_t Drive::commands() const { return link_->commands; }
std::uint64_t Drive::translations() const { return link_->translations; }
std::uint64_t Drive::bytes_written() const { return link_->bytes_written; }
std::uint64_t Drive::unit_attentions() const { return link_->unit_attentions; }
std::uint64_t Drive::resets() const { return link_->resets; }
std::uint64_t Drive::busy_replies() const { return link_->busy_replies; }

}  // namespace platter::scsi

#include "scsi/drive.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/quietly.h"
#include "model/zones.h"
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
  // The drive may be gone or refuse; whoever must know has called settings().restore() before.
  model::quietly([this] { settings_.restore(); });
}

Clock& Drive::clock() { return link_->device.clock(); }

void Drive::rest_ns(Nanoseconds time_ns) { clock().sleep_until_ns(now_ns() + time_ns); }

const model::Identity& Drive::identify() {
  if (!link_->identified) link_->identify();
  return link_->identity;
}

const identity::Who& Drive::who() const { return link_->known(), link_->who; }
const Told& Drive::told() const { return link_->known(), link_->told; }

void Drive::require_same_drive() { link_->require_same_drive(); }

std::optional<std::vector<std::uint8_t>> Drive::vpd_page(std::uint8_t page) {
  return link_->vpd_page(page);
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
    const auto reply = link_->reply_to(get_lba_status(at, kAllocation));
    if (!reply) return std::nullopt;
    const auto found = decode_lba_status(reply->as_far_as_it_came());
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

std::vector<LbnRange> Drive::keep_to_zones(const model::Identity& told) {
  std::vector<LbnRange> in_order = model::sequential_zones(told);
  if (link_->guard) link_->guard->keep_from_writes(in_order);
  if (is_host_managed() && !told.reads_past_pointers) link_->apart = told.zone_runs;
  return in_order;
}

const std::vector<LbnRange>& Drive::left_out() const { return link_->left_out; }

bool Drive::leaves_out(std::uint64_t lbn, std::uint32_t blocks) const {
  if (model::crosses_zones(link_->apart, lbn, blocks)) return true;
  const auto& ranges = link_->left_out;
  const auto range = std::ranges::lower_bound(ranges, lbn, {}, &LbnRange::last);
  return range != ranges.end() && range->first < lbn + blocks;
}

Completion Drive::read(std::uint64_t lbn, std::uint32_t blocks, bool force_unit_access) {
  return read_as(lbn, blocks, force_unit_access || link_->forces_reads, false).completion;
}

std::vector<std::uint8_t> Drive::contents(std::uint64_t lbn, std::uint32_t blocks,
                                          bool force_unit_access) {
  auto answer = read_as(lbn, blocks, force_unit_access || link_->forces_reads, true);
  return answer.reply.take_whole().value();
}

Answer Drive::read_as(std::uint64_t lbn, std::uint32_t blocks, bool force_unit_access,
                      bool keep_data) {
  const auto bytes = block_bytes();
  const CacheBits bits{.force_unit_access = force_unit_access};
  require_length(lbn, blocks);
  require_not_left_out(lbn, blocks);
  auto command = shortest_read(lbn, blocks, bytes, bits);
  command.keep_data = keep_data;
  note_read(lbn, blocks);  // whatever the drive says to it
  return link_->whole(command, lbn, blocks);
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

Completion Drive::read_as_cached(std::uint64_t lbn) {
  return read_as(lbn, 1, false, false).completion;
}

void Drive::require_length(std::uint64_t lbn, std::uint32_t blocks) const {
  if (!link_->most_blocks || blocks <= *link_->most_blocks) return;
  throw Error(
      ExitStatus::unsupported,
      fmt::format("{} takes {} blocks in one command at most (VPD page B0h, or the host's path), "
                  "not the {} of LBN {} to {}",
                  link_->name, *link_->most_blocks, blocks, lbn, lbn + blocks - 1));
}

std::vector<Drive::SentRead> Drive::learn_contents(std::uint64_t lbn, std::uint32_t blocks) {
  std::vector<SentRead> sent;
  auto& known = link_->contents;
  const std::size_t bytes = block_bytes();
  const LbnRange all = physical_blocks().covering(lbn, blocks);
  const auto end = all.last + 1;
  const auto most = std::min(kContentBlocks, link_->most_blocks.value_or(kContentBlocks));
  for (auto at = all.first; at < end;) {
    if (known.contains(at)) {
      ++at;
      continue;
    }
    std::uint32_t run = 1;
    while (run < most && at + run < end && !known.contains(at + run)) ++run;
    Answer answer = read_as(at, run, link_->forces_reads, true);
    const std::vector<std::uint8_t> data = answer.reply.take_whole().value();
    sent.push_back({.lbn = at, .blocks = run, .done = answer.completion});
    for (std::uint32_t i = 0; i < run; ++i)
      known[at + i].bytes.assign(data.begin() + i * bytes, data.begin() + (i + 1) * bytes);
    at += run;
  }
  return sent;
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
  return shortest_write(lbn, blocks, std::move(data), bits);
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
  if (!takes_fua) flush();
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
  auto sector = link_->contents.find(lbn);
  for (std::uint32_t i = 0; i < blocks; ++i, ++sector)
    link_->blocks_written += std::exchange(sector->second.written, true) ? 0 : 1;
  return link_->send_write(link_->write_command(lbn, std::move(data), force_unit_access), lbn,
                           blocks);
}

std::vector<std::uint8_t> DriveLink::known_contents(std::uint64_t lbn, std::uint64_t blocks) const {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(blocks * identity.block_bytes);
  auto sector = contents.find(lbn);
  for (std::uint64_t i = 0; i < blocks; ++i, ++sector)
    bytes.insert(bytes.end(), sector->second.bytes.begin(), sector->second.bytes.end());
  return bytes;
}

Completion Drive::verify(std::uint64_t lbn, std::uint32_t blocks) {
  require_not_left_out(lbn, blocks);
  return link_->must(shortest_verify(lbn, blocks), lbn, blocks).completion;
}

Completion Drive::seek(std::uint64_t lbn) {
  require_not_left_out(lbn, 1);
  return link_->must(seek_10(lbn), lbn, 1).completion;
}

Completion Drive::test_unit_ready() { return link_->must(scsi::test_unit_ready()).completion; }

std::unique_ptr<Stamping> Drive::stamp() { return link_->device.stamp(); }

void Drive::flush() { link_->may(synchronize_cache_10()); }

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
std::uint64_t Drive::blocks_written() const { return link_->blocks_written; }
std::uint64_t Drive::unit_attentions() const { return link_->unit_attentions; }
std::uint64_t Drive::resets() const { return link_->resets; }
std::uint64_t Drive::busy_replies() const { return link_->busy_replies; }
std::uint64_t Drive::short_replies() const { return link_->short_replies; }
const Guard::Said& Drive::said() const {
  static const Guard::Said kNothing;
  return link_->guard ? link_->guard->said() : kNothing;
}
const std::map<std::string, std::string>& Drive::odd_refusals() const {
  return link_->odd_refusals;
}

}  // namespace platter::scsi

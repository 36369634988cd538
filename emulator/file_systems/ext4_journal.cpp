#include "emulator/file_systems/ext4_journal.h"

#include <algorithm>
#include <utility>

namespace platter::emulator {
namespace {

constexpr std::uint32_t kMagic = 0xC03B3998;
enum Kind : std::uint32_t {
  kDescriptor = 1,
  kCommit = 2,
  kSuperblock1 = 3,
  kSuperblock2 = 4,
  kRevocation = 5
};
enum Feature : std::uint32_t {
  k64Bit = 0x2,
  kAsyncCommit = 0x4,
  kChecksums2 = 0x8,
  kChecksums3 = 0x10,
  kFastCommit = 0x20,
};
enum TagFlag : std::uint32_t { kEscaped = 1, kSameUuid = 2, kLastTag = 8 };
constexpr std::size_t kHead = 12;

// Sequence numbers go around.
bool not_after(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) <= 0; }

}  // namespace

Ext4Journal::Ext4Journal(std::vector<Ext4Extent> extents, std::uint32_t block_bytes, Read read)
    : by_index_(std::move(extents)),
      by_block_(by_index_),
      block_bytes_(block_bytes),
      read_(std::move(read)) {
  std::ranges::sort(by_block_, {}, &Ext4Extent::first);
  std::uint64_t blocks = 0;
  for (const Ext4Extent& extent : by_index_) blocks += extent.blocks;
  slots_.resize(std::min(blocks, kMostBlocks));
  std::vector<std::uint8_t> bytes(block_bytes_);
  if (!slots_.empty() && read_(block_at(0), bytes)) take_superblock(bytes);
}

std::uint32_t Ext4Journal::index_of(std::uint64_t block) const {
  const auto behind = std::ranges::upper_bound(by_block_, block, {}, &Ext4Extent::first);
  if (behind == by_block_.begin()) return kNowhere;
  const Ext4Extent& extent = *std::prev(behind);
  const std::uint64_t index = extent.logical + (block - extent.first);
  return block - extent.first < extent.blocks && index < slots_.size()
             ? static_cast<std::uint32_t>(index)
             : kNowhere;
}

std::uint64_t Ext4Journal::block_at(std::uint32_t index) const {
  const auto behind = std::ranges::upper_bound(by_index_, index, {}, &Ext4Extent::logical);
  const Ext4Extent& extent = *std::prev(behind);
  return extent.first + (index - extent.logical);
}

std::uint32_t Ext4Journal::behind(std::uint32_t index, std::uint64_t by) const {
  const std::uint64_t size = end_ - first_;
  return first_ + static_cast<std::uint32_t>((index - first_ + by) % size);
}

std::optional<Ext4Journal::Transaction> Ext4Journal::written(std::uint64_t block, Bytes bytes) {
  const std::uint32_t index = index_of(block);
  if (index == kNowhere) return std::nullopt;
  if (index == 0) {
    take_superblock(bytes);
    return std::nullopt;
  }
  if (!is_log(index)) return std::nullopt;
  slots_[index].used = true;
  return take(index, bytes);
}

std::optional<Ext4Journal::Transaction> Ext4Journal::take(std::uint32_t index, Bytes bytes) {
  controls_.erase(index);
  if (be32(bytes, 0) != kMagic) {  // a copy; of a transaction that is over, if that is committed
    if (slots_[index].committed) forget(index);
    return std::nullopt;
  }
  forget(index);
  const std::uint32_t kind = be32(bytes, 4);
  if (kind == kCommit) return commit(index, be32(bytes, 8));
  if (kind == kDescriptor) name_copies(index, descriptor(bytes));
  if (kind == kRevocation) controls_[index] = revocation(bytes);
  return std::nullopt;
}

Ext4Journal::Control Ext4Journal::descriptor(Bytes bytes) const {
  const bool wide = (features_ & k64Bit) != 0, third = (features_ & kChecksums3) != 0;
  const bool checksums = (features_ & (kChecksums2 | kChecksums3)) != 0;
  const std::size_t size =
      third ? 16 : 12u + ((features_ & kChecksums2) != 0 ? 2u : 0u) - (wide ? 0u : 4u);
  const std::size_t end = bytes.size() - (checksums ? 4 : 0);
  Control control;
  control.sequence = be32(bytes, 8);
  for (std::size_t at = kHead; at + size <= end;) {
    const std::uint32_t flags = third ? be32(bytes, at + 4) : be16(bytes, at + 6);
    const std::uint64_t high = wide ? be32(bytes, at + 8) : 0;
    control.tags.push_back({be32(bytes, at) | high << 32, (flags & kEscaped) != 0});
    at += size + ((flags & kSameUuid) != 0 ? 0 : 16);
    if ((flags & kLastTag) != 0) break;
  }
  return control;
}

Ext4Journal::Control Ext4Journal::revocation(Bytes bytes) const {
  const std::size_t size = (features_ & k64Bit) != 0 ? 8 : 4;
  const std::size_t end = std::min<std::size_t>(be32(bytes, kHead), bytes.size());
  Control control;
  control.sequence = be32(bytes, 8);
  for (std::size_t at = kHead + 4; at + size <= end; at += size)
    control.revoked.push_back(size == 8 ? be64(bytes, at) : be32(bytes, at));
  return control;
}

void Ext4Journal::name_copies(std::uint32_t index, const Control& control) {
  for (std::size_t i = 0; i < control.tags.size(); ++i) {
    const std::uint32_t at = behind(index, i + 1);
    if (i + 1 >= end_ - first_) break;
    forget(at);
    const Tag& tag = control.tags[i];
    slots_[at].copy_of = tag.block;
    slots_[at].escaped = tag.escaped;
    Copy& copy = copies_[tag.block];
    copy.latest = at;
    copy.latest_sequence = control.sequence;
    copy.metadata = true;
  }
  controls_[index] = control;
}

// Whether the blocks from the head on are those of that transaction, and end before this one.
bool Ext4Journal::leads_to(std::uint32_t index, std::uint32_t sequence) const {
  if (lost_ || !is_log(head_.index) || sequence != head_.sequence) return false;
  std::uint32_t at = head_.index;
  for (std::uint64_t steps = 0; at != index;) {
    const auto control = controls_.find(at);
    if (control == controls_.end() || control->second.sequence != sequence) return false;
    const std::uint64_t length = 1 + control->second.tags.size();
    steps += length;
    if (steps >= end_ - first_) return false;
    at = behind(at, length);
  }
  return true;
}

std::optional<Ext4Journal::Transaction> Ext4Journal::commit(std::uint32_t index,
                                                            std::uint32_t sequence) {
  lost_ = !leads_to(index, sequence);
  if (lost_) return std::nullopt;
  Transaction transaction{sequence, {}};
  std::vector<std::uint64_t> revoked;
  for (std::uint32_t at = head_.index; at != index;) {
    const Control& control = controls_[at];
    for (std::size_t i = 0; i < control.tags.size(); ++i) {
      const std::uint64_t block = control.tags[i].block;
      Slot& slot = slots_[behind(at, i + 1)];
      slot.committed = true;
      Copy& copy = copies_[block];
      if (slot.copy_of != block) continue;  // named twice
      copy.committed = behind(at, i + 1);
      copy.in_place = false;
      transaction.blocks.push_back(block);
    }
    revoked.insert(revoked.end(), control.revoked.begin(), control.revoked.end());
    at = behind(at, 1 + control.tags.size());
  }
  for (const std::uint64_t block : revoked)
    if (const auto copy = copies_.find(block);
        copy != copies_.end() && copy->second.latest_sequence != sequence)
      copy->second.metadata = false;
  live_.push_back(head_);
  head_ = {behind(index), sequence + 1};
  if ((features_ & kAsyncCommit) != 0) return std::nullopt;  // copies may come after their commit
  return transaction;
}

// What that block of the journal held is gone.
void Ext4Journal::forget(std::uint32_t index) {
  Slot& slot = slots_[index];
  if (slot.copy_of != kNothing) {
    const auto found = copies_.find(slot.copy_of);
    if (found != copies_.end()) {
      Copy& copy = found->second;
      if (copy.latest == index) copy.latest = kNowhere;
      if (copy.committed == index) copy.committed = kNowhere;
      if (copy.latest == kNowhere && copy.committed == kNowhere) copies_.erase(found);
    }
  }
  slot.copy_of = kNothing;
  slot.escaped = slot.committed = false;
}

void Ext4Journal::leave(std::uint32_t index) {
  forget(index);
  controls_.erase(index);
  if (!slots_[index].used) return;
  slots_[index].used = false;
  const std::uint64_t block = block_at(index);
  if (!left_.empty() && left_.back().end == block)
    ++left_.back().end;
  else
    left_.push_back({block, block + 1});
}

void Ext4Journal::take_superblock(Bytes bytes) {
  const std::uint32_t kind = be32(bytes, 4);
  if (be32(bytes, 0) != kMagic || (kind != kSuperblock1 && kind != kSuperblock2)) return;
  const std::uint32_t first = be32(bytes, 20);
  std::uint32_t end = std::min<std::uint32_t>(be32(bytes, 16),
                                              static_cast<std::uint32_t>(slots_.size()));
  features_ = kind == kSuperblock2 ? be32(bytes, 40) : 0;
  if ((features_ & kFastCommit) != 0) {
    const std::uint32_t fast = be32(bytes, 84);
    end -= std::min(end, fast != 0 ? fast : 256);
  }
  const std::uint32_t start = be32(bytes, 28), sequence = be32(bytes, 24);
  if (first == 0 || first >= end) return;
  const bool same = first == first_ && end == end_;
  first_ = first;
  end_ = end;
  if (same && start != 0 && trim_to(start, sequence)) return;
  begin_anew(start, sequence);
}

// false: no transaction that is known begins there.
bool Ext4Journal::trim_to(std::uint32_t start, std::uint32_t sequence) {
  if (lost_) return false;
  const auto is_it = [&](const Start& known) {
    return known.index == start && known.sequence == sequence;
  };
  const auto kept = std::ranges::find_if(live_, is_it);
  if (kept == live_.end() && !is_it(head_)) return false;
  if (kept == live_.begin()) return true;
  std::uint32_t at = live_.front().index;
  do {  // a journal may be full, so that it ends where it begins
    leave(at);
    at = behind(at);
  } while (at != start);
  live_.erase(live_.begin(), kept);
  return true;
}

// What was live is not any more; what is, if anything, begins there.
void Ext4Journal::begin_anew(std::uint32_t start, std::uint32_t sequence) {
  const bool empty = start == 0 || !is_log(start);
  live_.clear();
  lost_ = false;
  if (empty) {
    for (std::uint32_t at = first_; at < end_; ++at) leave(at);
    head_ = {0, sequence};
    return;
  }
  for (std::uint32_t at = first_; at < end_; ++at) forget(at);
  controls_.clear();
  head_ = {start, sequence};
  follow_from_head();
}

void Ext4Journal::follow_from_head() {
  std::vector<std::uint8_t> bytes(block_bytes_);
  std::uint32_t at = head_.index;
  for (std::uint64_t steps = 0; steps < end_ - first_;) {
    if (!read_(block_at(at), bytes) || be32(bytes, 0) != kMagic || be32(bytes, 8) != head_.sequence)
      return;
    slots_[at].used = true;
    const std::uint32_t kind = be32(bytes, 4);
    take(at, bytes);
    const auto control = controls_.find(at);
    if (kind != kCommit && control == controls_.end()) return;
    const std::uint64_t length = kind == kCommit ? 1 : 1 + control->second.tags.size();
    for (std::uint64_t i = 1; i < length && i < end_ - first_; ++i)
      slots_[behind(at, i)].used = true;
    steps += length;
    at = behind(at, length);
  }
}

void Ext4Journal::written_in_place(std::uint64_t block) {
  if (const auto copy = copies_.find(block); copy != copies_.end()) copy->second.in_place = true;
}

bool Ext4Journal::names(std::uint64_t block) const {
  const auto copy = copies_.find(block);
  return copy != copies_.end() && copy->second.metadata;
}

bool Ext4Journal::newest(std::uint64_t block, std::span<std::uint8_t> to) const {
  const auto found = copies_.find(block);
  if (found == copies_.end() || lost_) return false;
  const Copy& copy = found->second;
  if (copy.in_place || copy.committed == kNowhere) return false;
  if (!read_(block_at(copy.committed), to)) return false;
  if (slots_[copy.committed].escaped && to.size() >= 4) {
    to[0] = 0xC0;
    to[1] = 0x3B;
    to[2] = 0x39;
    to[3] = 0x98;
  }
  return true;
}

void Ext4Journal::is_data(const Range& blocks, std::uint32_t sequence) {
  for (auto copy = copies_.lower_bound(blocks.first);
       copy != copies_.end() && copy->first < blocks.end; ++copy)
    if (not_after(copy->second.latest_sequence, sequence)) copy->second.metadata = false;
}

std::vector<Range> Ext4Journal::take_left() { return std::exchange(left_, {}); }

}  // namespace platter::emulator

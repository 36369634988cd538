// ext4's journal (jbd2) as it is written. Every block of metadata goes through it before it goes to
// its place; so what the journal names is metadata, and what a committed transaction holds of an
// inode is true, whatever of it is in its place already.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/file_systems/bytes.h"
#include "emulator/file_systems/ext4_inode.h"
#include "emulator/file_systems/ranges.h"

namespace platter::emulator {

class Ext4Journal {
 public:
  using Read = std::function<bool(std::uint64_t block, std::span<std::uint8_t> to)>;
  static constexpr std::uint64_t kMostBlocks = 1 << 20;  // 4 GiB; mkfs makes up to 1 GiB
  // Where the journal's blocks are in the file system, from its first one on and without a gap, and
  // how one is read. What is in them already is followed.
  Ext4Journal(std::vector<Ext4Extent> extents, std::uint32_t block_bytes, Read read);

  bool contains(std::uint64_t block) const { return index_of(block) != kNowhere; }

  struct Transaction {
    std::uint32_t sequence = 0;
    std::vector<std::uint64_t> blocks{};  // of the file system, of which it holds new contents
  };
  // A block of the journal was written. What that commits; nullopt: nothing, or nothing that can be
  // relied upon.
  std::optional<Transaction> written(std::uint64_t block, Bytes bytes);
  // The place of a block of the file system was written.
  void written_in_place(std::uint64_t block);

  // Whether the journal holds the block as metadata.
  bool names(std::uint64_t block) const;
  // What was committed last of that block, if it is not in its place yet.
  bool newest(std::uint64_t block, std::span<std::uint8_t> to) const;
  // In that transaction a file has these blocks: copies of before are of data.
  void is_data(const Range& blocks, std::uint32_t sequence);

  // Blocks of the file system that hold parts of the journal which nobody will read again; those
  // that became so since last asked.
  std::vector<Range> take_left();

 private:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  struct Tag {
    std::uint64_t block;
    bool escaped;
  };
  struct Control {  // what a block of the journal says that holds no copy
    std::uint32_t sequence = 0;
    std::vector<Tag> tags{};
    std::vector<std::uint64_t> revoked{};
  };
  struct Slot {  // a block of the journal
    std::uint64_t copy_of = kNothing;
    bool escaped = false, committed = false, used = false;
  };
  struct Copy {  // of a block of the file system; where, as far as the journal has it
    std::uint32_t latest = kNowhere, latest_sequence = 0;
    std::uint32_t committed = kNowhere;
    bool metadata = true, in_place = false;
  };
  static constexpr std::uint64_t kNothing = ~std::uint64_t{0};

  std::uint32_t index_of(std::uint64_t block) const;
  std::uint64_t block_at(std::uint32_t index) const;
  std::optional<Transaction> take(std::uint32_t index, Bytes bytes);
  void take_superblock(Bytes bytes);
  Control descriptor(Bytes bytes) const;
  Control revocation(Bytes bytes) const;
  void name_copies(std::uint32_t index, const Control& control);
  std::optional<Transaction> commit(std::uint32_t index, std::uint32_t sequence);
  bool leads_to(std::uint32_t index, std::uint32_t sequence) const;
  void forget(std::uint32_t index);
  void leave(std::uint32_t index);
  void begin_anew(std::uint32_t start, std::uint32_t sequence);
  bool trim_to(std::uint32_t start, std::uint32_t sequence);
  void follow_from_head();
  std::uint32_t behind(std::uint32_t index, std::uint64_t by = 1) const;
  bool is_log(std::uint32_t index) const { return index >= first_ && index < end_; }

  const std::vector<Ext4Extent> by_index_;
  std::vector<Ext4Extent> by_block_;
  const std::uint32_t block_bytes_;
  const Read read_;

  std::uint32_t first_ = 0, end_ = 0;  // transactions lie in [first_, end_), around and around
  std::uint32_t features_ = 0;
  struct Start {
    std::uint32_t index, sequence;
  };
  std::deque<Start> live_{};  // transactions that may be read again
  Start head_{0, 0};          // where the next one begins
  bool lost_ = false;         // what is committed cannot be told

  std::vector<Slot> slots_{};                              // by index
  std::unordered_map<std::uint32_t, Control> controls_{};  // by index
  std::map<std::uint64_t, Copy> copies_{};                 // by block of the file system
  std::vector<Range> left_{};
};

}  // namespace platter::emulator

// Logical blocks and the physical blocks that a drive writes as a whole: a power loss tears a
// physical block, and with it every logical block that lies in it (SBC-3, physical blocks: logical
// blocks per physical block exponent, lowest aligned logical block address).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/lbn_range.h"
#include "scsi/replies.h"

namespace platter::scsi {

class PhysicalBlocks {
 public:
  PhysicalBlocks() = default;
  explicit PhysicalBlocks(const Capacity& capacity);

  std::uint32_t logical_blocks() const { return logical_; }  // of one; 1 where they are the same
  // Those that hold any of these blocks (at least one, on the drive), as a range of logical blocks.
  LbnRange covering(std::uint64_t lbn, std::uint64_t blocks) const;
  // Those that lie in the range as a whole; nullopt: none does. What of the range lies past the
  // drive's end is left out.
  std::optional<LbnRange> within(const LbnRange& range) const;

  // Whether these are physical blocks from the first to the last, each with all its logical ones: a
  // write of them makes the drive read nothing. Where drive or LBNs begin or end within a physical
  // block, that one is none of them.
  bool is_whole(std::uint64_t lbn, std::uint64_t blocks) const;
  // Of the range those for which is_whole() holds; nullopt: none.
  std::optional<LbnRange> whole_within(const LbnRange& range) const;
  // As many whole ones as fit into, or hold, so many logical blocks; in logical blocks.
  std::uint32_t rounded_down(std::uint32_t blocks) const { return blocks - blocks % logical_; }
  std::uint32_t rounded_up(std::uint32_t blocks) const {
    return rounded_down(blocks + logical_ - 1);
  }

 private:
  std::uint64_t begin_of(std::uint64_t lbn) const;  // the first LBN of the physical block
  std::uint64_t end_of(std::uint64_t lbn) const;    // one past its last

  std::uint32_t logical_ = 1, first_aligned_ = 0;
  std::uint64_t blocks_ = ~std::uint64_t{0};  // the drive's
};

// The ranges, ascending, those that touch or overlap in one.
std::vector<LbnRange> merged(std::vector<LbnRange> ranges);

// The ranges merged where they touch, ascending, each narrowed to whole physical blocks; those in
// which nothing is left are gone.
std::vector<LbnRange> whole_physical_blocks(const std::vector<LbnRange>& ranges,
                                            const PhysicalBlocks& physical);

// The physical blocks that hold any block of the ranges, merged where they touch, ascending.
std::vector<LbnRange> touched_physical_blocks(const std::vector<LbnRange>& ranges,
                                              const PhysicalBlocks& physical);

// What is left of the ranges without the holes (ascending, disjoint).
std::vector<LbnRange> without(const std::vector<LbnRange>& ranges,
                              const std::vector<LbnRange>& holes);

}  // namespace platter::scsi

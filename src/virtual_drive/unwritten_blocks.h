// Blocks that were never written, or trimmed: read as zeros, without the media (SBC-3, logical
// block provisioning). A write gives its blocks a place.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "model/lbn_range.h"

namespace platter::virtual_drive {

class UnwrittenBlocks {
 public:
  explicit UnwrittenBlocks(const std::vector<LbnRange>& ranges);

  bool none_at_first() const { return none_at_first_; }
  // Whether all of these blocks are unwritten.
  bool holds(std::uint64_t lbn, std::uint64_t blocks) const;
  struct Run {
    bool unwritten = false;
    std::uint64_t end = 0;  // the first block behind that is otherwise; 2^64 - 1: none
  };
  Run run_at(std::uint64_t lbn) const;
  void write(std::uint64_t lbn, std::uint64_t blocks);
  // Zeros for those of the blocks in `data` (from `lbn` on) that are unwritten.
  void clear(std::uint64_t lbn, std::uint32_t block_bytes, std::span<std::uint8_t> data) const;

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // first, and the end behind the last
  bool none_at_first_;
};

}  // namespace platter::virtual_drive

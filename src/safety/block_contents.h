// What logical blocks hold, by LBN: of those that a run rewrites, or that a journal has kept.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/lbn_range.h"

namespace platter::safety {

using Block = std::vector<std::uint8_t>;

class BlockContents {
 public:
  explicit BlockContents(std::uint32_t block_bytes) : block_bytes_(block_bytes) {}

  // Blocks that are known already stay as they are. `bytes` is a whole number of blocks.
  void add(std::uint64_t lbn, std::span<const std::uint8_t> bytes);
  // Of blocks first..last those that are not known, as runs.
  std::vector<LbnRange> unknown(const LbnRange& range) const;
  // All that is known, as runs of consecutive blocks, ascending, none longer than `most`.
  std::vector<LbnRange> runs(std::uint64_t most = ~std::uint64_t{0}) const;
  // The bytes of blocks that are all known.
  std::vector<std::uint8_t> of(const LbnRange& range) const;
  bool knows(std::uint64_t lbn) const { return blocks_.contains(lbn); }
  const Block& block(std::uint64_t lbn) const { return blocks_.at(lbn); }

  bool empty() const { return blocks_.empty(); }
  std::uint64_t size() const { return blocks_.size(); }
  std::uint32_t block_bytes() const { return block_bytes_; }

 private:
  std::uint32_t block_bytes_;
  std::map<std::uint64_t, Block> blocks_;
};

// How many there are in disjoint ranges.
std::uint64_t blocks_of(const std::vector<LbnRange>& ranges);

// Runs of consecutive blocks as a sentence names them, every one: "LBN 7", "LBN 7 to 9",
// "LBNs 5, 7-9 and 12".
std::string in_words(const std::vector<LbnRange>& ranges);

// The same, but of many runs the first five: "LBNs 5, 7-9, 12, 14, 16 and 200 more (in FILE)".
std::string in_few_words(const std::vector<LbnRange>& ranges, const std::string& where);

}  // namespace platter::safety

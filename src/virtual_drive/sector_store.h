// The contents of a virtual drive: what was written is kept, in memory only; a sector that was
// never written reads as its own number and zeros.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "virtual_drive/contents.h"

namespace platter::virtual_drive {

class SectorStore final : public Contents {
 public:
  explicit SectorStore(std::uint32_t block_bytes) : block_bytes_(block_bytes) {}

  bool read(std::uint64_t lbn, std::span<std::uint8_t> to) const override;
  // A sector that is rewritten as it was at first takes no memory.
  bool write(std::uint64_t lbn, std::span<const std::uint8_t> from) override;

  std::size_t kept() const { return sectors_.size(); }

 private:
  // A sector that was never written: its LBN, big-endian, in the first eight bytes, then zeros.
  void fill_unwritten(std::uint64_t lbn, std::span<std::uint8_t> sector) const;

  std::uint32_t block_bytes_;
  std::unordered_map<std::uint64_t, std::vector<std::uint8_t>> sectors_;
};

}  // namespace platter::virtual_drive

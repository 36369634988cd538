// Whether the drive at hand is the one that a journal's blocks are of, by what it holds there now:
// docks and bridges give all their drives one serial number, or none.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "safety/block_contents.h"
#include "scsi/physical_blocks.h"

namespace platter::safety {

// Any drive may hold this: one byte throughout, as a new drive does, or a pattern that repeats
// within 16 bytes, as programs that wipe drives write. Such a block is the same on two drives.
bool is_on_any_drive(const Block& block);

class DriveEvidence {
 public:
  explicit DriveEvidence(const scsi::PhysicalBlocks& physical) : physical_(physical) {}

  // A block that can be read. `journaled` must outlive this.
  void add(std::uint64_t lbn, const Block& journaled, bool same);

  std::uint64_t readable() const { return readable_; }
  std::uint64_t differing() const { return differing_; }
  // Whole physical blocks are torn by a write that fails or is cut off.
  std::uint64_t differing_physical_blocks() const { return torn_.size(); }
  // Most of what can be read differs: of all blocks, or of the contents that tell one drive from
  // another. Where none of these can be read, anything that differs. False where nothing is told.
  bool speaks_against() const;

 private:
  struct Copies {
    std::uint64_t same = 0, differ = 0;
  };

  scsi::PhysicalBlocks physical_;
  std::uint64_t readable_ = 0, differing_ = 0;
  std::set<std::uint64_t> torn_{};
  std::map<std::string_view, Copies> telling_{};  // by content
};

}  // namespace platter::safety

// What the media hold of blocks that were written, asked past every cache, and put right where they
// hold something else or cannot be read.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/drive_model.h"
#include "safety/block_contents.h"
#include "safety/read_back.h"
#include "scsi/device.h"
#include "scsi/drive.h"
#include "scsi/physical_blocks.h"

namespace platter::safety {

struct MediaCheck {
  Past past = Past::nothing_known;
  std::vector<LbnRange> put_back;  // could not be read or differed, and hold what they held
  std::vector<LbnRange> differ;    // can be read, hold something else, and were left so
  std::vector<LbnRange> lost;      // could not be put right
  std::string trouble;             // what the drive last said to that, in a sentence's part
  std::string flush_trouble;       // why the drive's cache could not be brought to the media
  std::uint64_t intact = 0;        // blocks
  // By what it holds the device is not the drive of these blocks: nothing was written, and no
  // setting is to be put back. `differ` has all that differ; `readable` are the blocks that are not
  // unreadable.
  bool is_another_drive = false;
  std::uint64_t readable = 0;

  bool all_well() const {
    return past != Past::nothing_known && differ.empty() && lost.empty() && !is_another_drive &&
           flush_trouble.empty();
  }
};

struct MediaCheckOptions {
  // Of blocks that can be read and hold something else: put them back, too.
  bool overwrite = true;
  std::uint32_t most_blocks = 0;  // of one command, where that is known; 0: as the drive says
  // What lies between blocks is read with them where that is less than another command takes.
  bool read_along = true;
  std::vector<LbnRange> skipped = {};  // never accessed
  // Where no more physical blocks differ, writes that failed may have torn all of them: this does
  // not speak against the drive.
  std::uint64_t may_be_torn = 0;
};

// SYNCHRONIZE CACHE, then every block is read back and compared. Where that speaks against the
// drive (DriveEvidence), it ends there; only behind it may anything be written. What is wrong is
// written again, three times at most. `expected`: the drive must still be that one, or nothing is
// read: throws Error(refused). Throws Error where the drive does not answer any more, or blocks
// can't be compared: then nothing is known.
MediaCheck check_media(scsi::Device& device, const model::Identity& expected,
                       const BlockContents& contents, const MediaCheckOptions& options = {});

// How many reads it takes where all is well: each about a seek and half a revolution.
std::size_t reads_of_check(const BlockContents& contents, const MediaCheckOptions& options = {});

// For a sentence: what became of the blocks, "" where all is well.
std::string in_words(const MediaCheck& check, const std::string& device);

// Whether the drive at hand is the one that a journal's blocks are of, by what it holds there now:
// docks and bridges give all their drives one serial number, or none.
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

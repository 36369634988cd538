// Blocks read past every cache and compared with what they should hold. Writes nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "safety/block_contents.h"
#include "scsi/drive.h"

namespace platter::safety {

// Where no command is known to pass a drive's caches: what they hold makes room for other blocks.
class Displacement {
 public:
  explicit Displacement(scsi::Drive& drive) : drive_(drive) {}

  // Reads so many bytes all over the drive, in stretches as many as a cache has segments, at other
  // places each time. What cannot be read is left.
  void read_elsewhere(std::uint64_t bytes);

  // Reads the blocks twice, coming from another end of the drive: whether they waited for the media
  // the first time, and not for the path alone, which the second time shows. Throws DriveError.
  bool waits_for_media(std::uint64_t lbn, std::uint32_t blocks);

 private:
  double next_place();  // 0 to 1
  void go_away(std::uint64_t lbn);

  scsi::Drive& drive_;
  double place_ = 0;
};

// How what is read is known to come from the media (SBC-3, FUA and VERIFY), found by timing:
// accesses to one block come a revolution apart.
enum class Past : std::uint8_t {
  nothing_known,    // no command that the drive takes is known to reach the media
  fua,              // reads with FUA
  no_cache,         // any read: the drive answers none from a cache, as it is set now
  verify,           // VERIFY does, and finds the medium readable; a plain read is compared
  displaced,        // a plain read, behind so many of other blocks that it waits for the media
  fua_at_its_word,  // of a drive that does not rotate, whose media timing cannot tell
};

// Runs of blocks, ascending.
struct Compared {
  std::vector<LbnRange> unreadable;  // the medium gives none
  std::vector<LbnRange> differ;      // can be read, and hold something else
};

class ReadBack {
 public:
  // Both must outlive this. `read_along`: blocks that are not in the contents may be read, too.
  ReadBack(scsi::Drive& drive, const BlockContents& contents, bool read_along)
      : drive_(drive), displacement_(drive), contents_(contents), read_along_(read_along) {}

  // SYNCHRONIZE CACHE. A drive that does not know the command, or fails it, is judged by what its
  // media hold.
  void flush();
  // Which way past the caches there is, by what can be read now.
  void find_way();
  Past past() const { return past_; }

  // `runs` are of known blocks; `seen` is told of each that can be read. Throws Error where a block
  // is neither read nor said to be unreadable by its medium: a drive that is not ready, or locked,
  // or that sends less than was asked for. Then nothing is known. Where blocks come from a cache
  // that should have been displaced, past() is nothing_known from then on.
  using Seen = std::function<void(std::uint64_t lbn, const Block& expected, bool same)>;
  Compared compare(const std::vector<LbnRange>& runs, const Seen& seen = {});

  const std::string& flush_trouble() const { return flush_trouble_; }
  const std::string& trouble() const { return trouble_; }  // what the drive last said

 private:
  enum class Reach : std::uint8_t { media, cache, refused };
  template <typename Access>
  Reach reach_of(const Access& access);
  Past way();
  bool rotates();
  bool forgets();
  std::vector<LbnRange> left_of_displaced(const std::vector<LbnRange>& runs, bool* halved);
  void compare_displaced(std::uint64_t most);
  std::vector<std::uint8_t> read(const LbnRange& range);
  void compare_read(const LbnRange& all);
  void compare_halves(const LbnRange& all);
  void compare_alone(std::uint64_t lbn, const Block& expected);
  void tell(std::uint64_t lbn, const Block& expected, bool same);

  scsi::Drive& drive_;
  Displacement displacement_;
  const BlockContents& contents_;
  bool read_along_;
  std::uint64_t displacing_bytes_ = 0;
  Past past_ = Past::nothing_known;
  std::string trouble_, flush_trouble_;
  // Of the comparison under way.
  const std::vector<LbnRange>* runs_ = nullptr;
  const Seen* seen_ = nullptr;
  Compared found_;
};

// How many reads that takes where all is well.
std::size_t reads_of(const BlockContents& contents, bool read_along);

// A run of blocks that follows at once becomes part of the last.
void append(std::vector<LbnRange>& ranges, const LbnRange& range);

}  // namespace platter::safety

// Where no command is known to pass a drive's caches: what they hold makes room for other blocks.
#pragma once

#include <cstdint>

#include "scsi/drive.h"

namespace platter::safety {

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

}  // namespace platter::safety

#include "mtbrc/fresh_walk.h"

#include "scsi/physical_blocks.h"

namespace platter::mtbrc {

std::optional<std::uint64_t> FreshWalk::next() {
  while (next_) {
    const std::uint64_t lbn = *next_;
    const LbnRange whole = context_.drive.physical_blocks().covering(lbn, 1);
    next_ = whole.first > 0 ? std::optional(whole.first - 1) : std::nullopt;
    if (!context_.drive.was_read(lbn) && !context_.drive.leaves_out(lbn, 1)) return lbn;
  }
  return std::nullopt;
}

}  // namespace platter::mtbrc

#include "layout_by_timing/media_timing.h"

#include "model/error.h"
#include "mtbrc/access.h"
#include "mtbrc/probe.h"
#include "mtbrc/time_watch.h"

namespace platter::layout_by_timing {

MediaTiming::MediaTiming(mtbrc::Context& context)
    : MediaTiming(context, {0, context.drive.blocks() - 1}, true) {}

MediaTiming::MediaTiming(mtbrc::Context& context, const LbnRange& range, bool watches)
    : context_(context), watches_(watches) {
  const scsi::PhysicalBlocks& physical = context.drive.physical_blocks();
  unit_ = physical.logical_blocks();
  const auto whole = physical.whole_within(range);
  if (!whole) throw Error(ExitStatus::unsupported, "the drive holds no whole physical block");
  first_lbn_ = whole->first;
  blocks_ = (whole->last + 1 - whole->first) / unit_;
}

std::optional<Access> MediaTiming::access(std::uint64_t block) {
  if (watches_) mtbrc::look_at_time(context_);
  const std::uint32_t session = context_.session;
  const auto done = mtbrc::timed(context_.drive, [&](scsi::Drive&) {
    return mtbrc::reach_media(context_, first_lbn_ + block * unit_ + unit_ - 1);
  });
  if (!done || context_.session != session) return std::nullopt;
  const Nanoseconds turned_ns = mtbrc::turned_ns(context_);
  return Access{done->issued_ns - turned_ns, done->completed_ns - turned_ns};
}

}  // namespace platter::layout_by_timing

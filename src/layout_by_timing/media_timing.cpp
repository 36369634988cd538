#include "layout_by_timing/media_timing.h"

#include "model/error.h"
#include "mtbrc/probe.h"

namespace platter::layout_by_timing {

MediaTiming::MediaTiming(mtbrc::Context& context) : context_(context) {
  const scsi::PhysicalBlocks& physical = context.drive.physical_blocks();
  unit_ = physical.logical_blocks();
  const auto whole = physical.whole_within({0, context.drive.blocks() - 1});
  if (!whole) throw Error(ExitStatus::unsupported, "the drive holds no whole physical block");
  first_lbn_ = whole->first;
  blocks_ = (whole->last + 1 - whole->first) / unit_;
}

// What was turned away at first and sent again tells no time.
std::optional<Access> MediaTiming::access(std::uint64_t block) {
  const auto interruptions = [this] {
    return context_.drive.busy_replies() + context_.drive.unit_attentions();
  };
  const std::uint64_t before = interruptions();
  try {
    const scsi::Completion done = mtbrc::reach_media(context_,
                                                     first_lbn_ + block * unit_ + unit_ - 1);
    if (done.status != scsi::Status::good || interruptions() != before) return std::nullopt;
    return Access{done.issued_ns, done.completed_ns};
  } catch (const Error& error) {
    if (error.status() != ExitStatus::drive_error) throw;
    return std::nullopt;
  }
}

}  // namespace platter::layout_by_timing

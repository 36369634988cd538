// A drive's physical blocks as a map by timing asks for them: the command that reaches the media,
// of the last logical block of each, which is where the head has passed all of it.
#pragma once

#include "layout_by_timing/timed_blocks.h"
#include "model/lbn_range.h"
#include "mtbrc/context.h"
#include "mtbrc/time_watch.h"

namespace platter::layout_by_timing {

class MediaTiming final : public TimedBlocks {
 public:
  // The way to the media must be known (Context::probe).
  explicit MediaTiming(mtbrc::Context& context);
  // Of these blocks alone. `watches`: whether the time is looked at, on any block (time_watch.h).
  MediaTiming(mtbrc::Context& context, const LbnRange& range, bool watches);

  std::uint64_t blocks() const override { return blocks_; }
  // Behind a jump of time the phase goes on as before it.
  Nanoseconds now_ns() override { return context_.drive.now_ns() - mtbrc::turned_ns(context_); }
  std::optional<Access> access(std::uint64_t block) override;
  bool may_repeat() const override { return !context_.reads_once; }

  std::uint32_t logical_blocks() const { return unit_; }  // of a physical one
  std::uint64_t first_lbn() const { return first_lbn_; }  // of physical block 0

 private:
  mtbrc::Context& context_;
  bool watches_;
  std::uint32_t unit_;
  std::uint64_t first_lbn_, blocks_;
};

}  // namespace platter::layout_by_timing

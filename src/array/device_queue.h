// The commands that Linux 6.1 keeps for a drive that takes no more at once: blk-mq without a
// scheduler (block/blk-mq.c, blk-mq-sched.c), one hardware queue, one processor. Two lists: what
// was refused stands in one and goes before all else; what came behind it stands in the other. No
// time and no drive: what is appended to `sent` goes to the drive now.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace platter::array {

class DeviceQueue {
 public:
  using Commands = std::vector<std::uint32_t>;

  // So many commands are at the drive at most; 0: all that come.
  explicit DeviceQueue(std::uint32_t depth) : depth_(depth) {}

  // A command that lay in no plug (blk_mq_submit_bio()).
  void issue(std::uint32_t command, Commands& sent);
  // The commands that leave a plug, in order; backwards: of a plug that holds this drive's alone,
  // whose thread goes on (blk_mq_plug_issue_direct()); asleep: its thread does not.
  enum class Unplug : std::uint8_t { in_order, backwards, asleep };
  void issue(std::span<const std::uint32_t> commands, Unplug how, Commands& sent);
  // The drive has one less.
  void ended(Commands& sent);

  // The commands that a new access may still join, the last first.
  const std::deque<std::uint32_t>& behind() const { return behind_; }

 private:
  bool give(std::uint32_t command, Commands& sent);
  void run(Commands& sent);
  bool give_all(std::deque<std::uint32_t> commands, Commands& sent);
  void give_behind(Commands& sent);
  void note(bool busy);

  std::uint32_t depth_, at_drive_ = 0;
  std::deque<std::uint32_t> refused_{};  // hctx->dispatch
  std::deque<std::uint32_t> behind_{};   // the processor's own list
  std::uint32_t busy_ = 0;               // hctx->dispatch_busy, a decaying mean
  bool contended_ = false;               // the drive's next end runs the queue
};

}  // namespace platter::array

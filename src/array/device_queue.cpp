#include "array/device_queue.h"

#include <utility>

namespace platter::array {
namespace {

constexpr std::uint32_t kBusyWeight = 8, kBusyFactor = 16;  // (blk_mq_update_dispatch_busy())

}  // namespace

void DeviceQueue::note(bool busy) {
  if (busy_ == 0 && !busy) return;
  busy_ = (busy_ * (kBusyWeight - 1) + (busy ? kBusyFactor : 0)) / kBusyWeight;
}

bool DeviceQueue::give(std::uint32_t command, Commands& sent) {
  if (depth_ > 0 && at_drive_ == depth_) {
    contended_ = true;
    return false;
  }
  ++at_drive_;
  sent.push_back(command);
  return true;
}

void DeviceQueue::issue(std::uint32_t command, Commands& sent) {
  if (busy_ == 0 && give(command, sent)) return;
  behind_.push_back(command);
  run(sent);
}

void DeviceQueue::issue(std::span<const std::uint32_t> commands, Unplug how, Commands& sent) {
  bool all_sent = true;
  if (how == Unplug::backwards)
    while (!commands.empty()) {
      const std::uint32_t last = commands.back();
      commands = commands.first(commands.size() - 1);
      if (give(last, sent)) {
        note(false);
        continue;
      }
      refused_.push_back(last);
      run(sent);
      all_sent = false;
      break;
    }
  if (busy_ == 0 && how != Unplug::asleep)
    while (!commands.empty()) {
      const std::uint32_t first = commands.front();
      commands = commands.subspan(1);
      if (give(first, sent)) continue;
      refused_.push_back(first);
      all_sent = false;
      break;
    }
  if (commands.empty() && all_sent) return;
  behind_.insert(behind_.end(), commands.begin(), commands.end());
  run(sent);
}

void DeviceQueue::ended(Commands& sent) {
  --at_drive_;
  if (std::exchange(contended_, false)) run(sent);
}

// (__blk_mq_sched_dispatch_requests())
void DeviceQueue::run(Commands& sent) {
  if (!refused_.empty()) {
    if (give_all(std::exchange(refused_, {}), sent)) give_behind(sent);
  } else if (busy_ > 0) {
    give_behind(sent);
  } else {
    give_all(std::exchange(behind_, {}), sent);
  }
}

// (blk_mq_dispatch_rq_list())
bool DeviceQueue::give_all(std::deque<std::uint32_t> commands, Commands& sent) {
  if (commands.empty()) return false;
  while (!commands.empty() && give(commands.front(), sent)) commands.pop_front();
  refused_.insert(refused_.end(), commands.begin(), commands.end());
  note(!commands.empty());
  return commands.empty();
}

// One by one, as long as the drive takes them (blk_mq_do_dispatch_ctx()).
void DeviceQueue::give_behind(Commands& sent) {
  while (refused_.empty() && !behind_.empty() && give(behind_.front(), sent)) {
    behind_.pop_front();
    note(false);
  }
}

}  // namespace platter::array

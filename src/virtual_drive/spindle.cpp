#include "virtual_drive/spindle.h"

namespace platter::virtual_drive {

Nanoseconds Spindle::go_to(Condition condition) {
  const bool spun = condition_ != Condition::stopped && condition_ != Condition::standby;
  const bool spins = condition != Condition::stopped && condition != Condition::standby;
  condition_ = condition;
  if (!spins || spun) return 0;
  ++starts_;
  return spin_up_ns_;
}

std::optional<SenseCode> Spindle::not_ready() const {
  if (condition_ == Condition::stopped) return kStartNeeded;
  if (spinning_up_) return kBecomingReady;
  return std::nullopt;
}

SenseCode Spindle::told() const {
  if (const auto why = not_ready()) return *why;
  switch (condition_) {
    case Condition::idle:
      return kIdleByCommand;
    case Condition::standby:
      return kStandbyByCommand;
    default:
      return kNoSense;
  }
}

Nanoseconds Spindle::wake_up_ns() {
  const bool was_idle = condition_ == Condition::idle;
  const Nanoseconds spin_up_ns = go_to(Condition::active);
  return was_idle ? idle_wake_ns_ : spin_up_ns;
}

}  // namespace platter::virtual_drive

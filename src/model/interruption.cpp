#include "model/interruption.h"

namespace platter {
namespace {

std::atomic<int> uninterruptible{0};

}  // namespace

void interruption::stop_unless_uninterruptible() {
  if (uninterruptible.load(std::memory_order_relaxed) == 0)
    throw Error(ExitStatus::interrupted, "stopped by a signal");
}

Uninterruptible::Uninterruptible() noexcept { ++uninterruptible; }
Uninterruptible::~Uninterruptible() { --uninterruptible; }

}  // namespace platter

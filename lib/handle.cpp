#include "lib/handle.h"

#include <pthread.h>

#include <mutex>

namespace platter::lib {
namespace {

// So many stay closed: some hundred kilobytes.
constexpr std::size_t kStayClosed = 1024;

constinit std::mutex closing;  // guards all ClosedHandles

// The child of a fork() finds the lock free.
[[maybe_unused]] const int kForks = ::pthread_atfork(
    [] { closing.lock(); }, [] { closing.unlock(); }, [] { closing.unlock(); });

}  // namespace

AnyHandle* ClosedHandles::reused() noexcept {
  const std::lock_guard lock(closing);
  if (count_ <= kStayClosed) return nullptr;
  --count_;
  return std::exchange(oldest_, oldest_->closed_after);
}

void ClosedHandles::keep(AnyHandle* handle) noexcept {
  const std::lock_guard lock(closing);
  handle->closed_after = nullptr;
  (count_++ == 0 ? oldest_ : newest_->closed_after) = handle;
  newest_ = handle;
}

}  // namespace platter::lib

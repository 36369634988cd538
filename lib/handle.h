// What a caller's handle points to. It outlives what it holds, so that a handle that was closed is
// known for it: a closed one serves again only when a thousand others were closed after it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace platter::lib {

struct AnyHandle {
  static constexpr std::uint32_t kClosed = 0, kOpen = 1;
  // kClosed, kOpen, or mark_of_process() (process.h) of the thread that is in a call.
  mutable std::atomic<std::uint32_t> use{kClosed};
  std::atomic<bool> closing{false};  // from when somebody begins to close it; no call begins then
  AnyHandle* closed_after = nullptr;
};

// Handles of one kind that were closed, the oldest first.
class ClosedHandles {
 public:
  AnyHandle* reused() noexcept;  // nullptr: too few are here
  void keep(AnyHandle* handle) noexcept;

 private:
  AnyHandle *oldest_ = nullptr, *newest_ = nullptr;
  std::size_t count_ = 0;
};

template <typename Content>
struct Handle : AnyHandle {
  std::optional<Content> content;
};

// Throws std::bad_alloc, and what the content's constructor throws.
template <typename AHandle, typename... Arguments>
AHandle* opened_handle(ClosedHandles& closed, Arguments&&... arguments) {
  AnyHandle* const again = closed.reused();
  AHandle* const handle = again == nullptr ? new AHandle : static_cast<AHandle*>(again);
  try {
    handle->content.emplace(std::forward<Arguments>(arguments)...);
  } catch (...) {
    closed.keep(handle);
    throw;
  }
  handle->closing.store(false, std::memory_order_relaxed);
  handle->use.store(AnyHandle::kOpen, std::memory_order_release);
  return handle;
}

// false: somebody did already.
inline bool begin_to_close(AnyHandle& handle) noexcept {
  return !handle.closing.exchange(true, std::memory_order_acq_rel);
}

// Of a handle that the caller has to itself.
template <typename AHandle>
void close_handle(ClosedHandles& closed, AHandle* handle) noexcept {
  handle->content.reset();
  handle->use.store(AnyHandle::kClosed, std::memory_order_release);
  closed.keep(handle);
}

}  // namespace platter::lib

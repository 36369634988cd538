// "Has somebody asked to stop?" One flag of the process: what catches signals sets it, long
// computations ask it. Nobody sets it in a program that only links libplatter.
#pragma once

#include <atomic>

#include "model/error.h"

namespace platter {

namespace interruption {
inline std::atomic<bool> asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);
void stop_unless_uninterruptible();
}  // namespace interruption

// May be called by a signal's handler.
inline void ask_to_stop() noexcept { interruption::asked.store(true, std::memory_order_relaxed); }
// Stays true: a question that nobody answers is asked again.
inline bool stop_asked() noexcept { return interruption::asked.load(std::memory_order_relaxed); }

// Throws Error(interrupted) if so. For loops whose turns take no more than 0.1 s, above the engine;
// it costs a nanosecond. Not for what talks to a drive: settings are put back with the same
// commands.
inline void stop_if_asked() {
  if (stop_asked()) [[unlikely]]
    interruption::stop_unless_uninterruptible();
}

// Within its life stop_if_asked() returns: for what brings things in order, or saves what there is.
class Uninterruptible {
 public:
  Uninterruptible() noexcept;
  ~Uninterruptible();
  Uninterruptible(const Uninterruptible&) = delete;
  Uninterruptible& operator=(const Uninterruptible&) = delete;
};

// First in a `catch (const Error& error)` that goes on without what failed: that somebody asked to
// stop is no failure of what was tried. Throws on what is being caught.
inline void let_interruptions_pass(const Error& error) {
  if (error.status() == ExitStatus::interrupted) throw;
}

}  // namespace platter

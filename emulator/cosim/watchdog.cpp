#include "emulator/cosim/watchdog.h"

#include <algorithm>
#include <atomic>
#include <csignal>

namespace platter::emulator {
namespace {

constexpr std::chrono::milliseconds kTick{10}, kLook{200};

}  // namespace

Watchdog::Watchdog(platter_cosim_page& page, std::chrono::milliseconds patience)
    : page_(page), patience_(std::max(patience, kTick)) {}

std::optional<pid_t> Watchdog::look(Clock::time_point now) {
  const std::uint64_t turns = std::atomic_ref(page_.turns).load();
  const pid_t program = std::atomic_ref(page_.program).load();
  if (program == 0 || turns != turns_ || since_ == Clock::time_point{}) {
    turns_ = turns;
    since_ = now;
    return std::nullopt;
  }
  if (now - since_ < patience_) return std::nullopt;
  since_ = now;
  return program;
}

int Watchdog::next_look_ms() const { return static_cast<int>(std::min(patience_, kLook).count()); }

void Watchdog::tick(pid_t program) {
  patience_ = kTick;
  page_.tick_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(kTick).count();
  kill(program, SIGALRM);
}

}  // namespace platter::emulator

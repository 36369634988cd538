#include "emulator/cosim/watchdog.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <utility>

namespace platter::emulator {
namespace {

constexpr std::chrono::milliseconds kTick{10}, kLook{200};

}  // namespace

Watchdog::Watchdog(platter_cosim_page& page, std::chrono::milliseconds patience, Computed computed)
    : page_(page), patience_(std::max(patience, kTick)), computed_(std::move(computed)) {}

std::chrono::nanoseconds Watchdog::processor_time(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::optional<pid_t> Watchdog::look() {
  const std::uint64_t turns = std::atomic_ref(page_.turns).load();
  const pid_t program = std::atomic_ref(page_.program).load();
  if (program == 0) {
    program_ = 0;
    return std::nullopt;
  }
  const auto now = computed_(program);
  if (program != program_ || turns != turns_) {
    program_ = program;
    turns_ = turns;
    since_ = now;
    return std::nullopt;
  }
  const bool goes_on = std::atomic_ref(page_.goes_on).load() != 0;
  if (now - since_ < (goes_on ? kTick : patience_)) return std::nullopt;
  since_ = now;
  return program;
}

int Watchdog::next_look_ms() const {
  const bool goes_on = std::atomic_ref(page_.goes_on).load() != 0;
  return static_cast<int>((goes_on ? kTick : std::min(patience_, kLook)).count());
}

void Watchdog::tick(pid_t program) {
  page_.tick_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(kTick).count();
  kill(program, SIGALRM);
}

}  // namespace platter::emulator

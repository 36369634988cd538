#include "emulator/pace/null_commands.h"

#include <chrono>
#include <utility>

#include "emulator/pace/clock.h"
#include "emulator/pace/real_time.h"

namespace platter::emulator {
namespace {

// A processor that slept for a while wakes up more slowly: pauses are like those of a disk.
constexpr int kAtFirst = 200;
constexpr Nanoseconds kPauseAtFirst = 2 * kMillisecond;
constexpr Nanoseconds kPauseWhileServing = 50 * kMillisecond;

}  // namespace

NullCommands::NullCommands(bool in_real_time, TransportDelay& delay,
                           std::function<std::string()> send,
                           std::function<void(const std::string&)> measured)
    : in_real_time_(in_real_time),
      delay_(delay),
      send_(std::move(send)),
      measured_(std::move(measured)),
      thread_([this] { run(); }) {}

NullCommands::~NullCommands() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

bool NullCommands::pause(Nanoseconds length) {
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, std::chrono::nanoseconds(length), [this] { return ends_; });
}

void NullCommands::run() {
  if (in_real_time_)
    run_in_real_time();
  else
    run_without_slack();
  const std::string trouble = measure();
  if (!trouble.empty()) measured_(trouble);
}

// Why it gave up before it knew anything; "" for other ends.
std::string NullCommands::measure() {
  for (int i = 0; pause(i < kAtFirst ? kPauseAtFirst : kPauseWhileServing); ++i) {
    const Nanoseconds sent_ns = host_now_ns();
    if (const std::string trouble = send_(); !trouble.empty()) return i < kAtFirst ? trouble : "";
    const Nanoseconds received_ns = host_now_ns();
    delay_.add(seen_ns_.load(std::memory_order_acquire) - sent_ns,
               received_ns - answered_ns_.load(std::memory_order_acquire));
    if (i + 1 == kAtFirst) measured_("");
  }
  return "";
}

}  // namespace platter::emulator

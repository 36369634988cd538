#include "emulator/pace/null_commands.h"

#include <chrono>
#include <utility>

#include "emulator/pace/real_time.h"

namespace platter::emulator {
namespace {

// A processor that slept for a while wakes up more slowly: pauses are like those of a disk.
constexpr int kOfEachAtFirst = 11;
constexpr Nanoseconds kPauseAtFirst = 2 * kMillisecond;
constexpr Nanoseconds kPauseWhileServing = 50 * kMillisecond;

// Every kind that a transport has, those without data first.
std::vector<NullCommand> kinds_of(std::uint64_t most_bytes) {
  using Data = NullCommand::Data;
  std::vector<NullCommand> kinds;
  for (const bool awake : {false, true}) {
    if (most_bytes == 0) kinds.push_back({Data::none, 0, awake});
    for (const Data data : {Data::read, Data::write})
      for (std::size_t at = 1; at < TransportDelay::kBytes.size(); ++at)
        if (TransportDelay::kBytes[at] <= most_bytes) kinds.push_back({data, at, awake});
  }
  return kinds;
}

}  // namespace

NullCommands::NullCommands(bool in_real_time, std::uint64_t most_bytes, TransportDelay& delay,
                           std::function<std::string(const NullCommand&)> send,
                           std::function<void(const std::string&)> measured)
    : in_real_time_(in_real_time),
      delay_(delay),
      kinds_(kinds_of(most_bytes)),
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

Nanoseconds answer_host_ns(const TransportDelay& delay, Nanoseconds seen_host_ns,
                           std::uint64_t in_bytes, std::uint64_t out_bytes, bool awake) {
  return seen_host_ns - delay.inbound_ns(in_bytes, awake) + null_command_ns(awake) -
         delay.outbound_ns(out_bytes, awake);
}

Lateness NullCommands::at_client() const {
  const std::lock_guard lock(mutex_);
  return at_client_;
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

// Why it gave up before it knew anything; "" for other ends. One that is awake follows one that
// waited, at once: of two of the same kind the second counts.
std::string NullCommands::measure() {
  const int at_first = kOfEachAtFirst * static_cast<int>(kinds_.size());
  for (int i = 0; pause(i < at_first ? kPauseAtFirst : kPauseWhileServing); ++i) {
    const NullCommand& kind = kinds_[static_cast<std::size_t>(i) % kinds_.size()];
    if (kind.awake)
      if (const std::string trouble = send_(kind); !trouble.empty())
        return i < at_first ? trouble : "";
    const Nanoseconds sent_ns = host_now_ns();
    if (const std::string trouble = send_(kind); !trouble.empty())
      return i < at_first ? trouble : "";
    const Nanoseconds received_ns = host_now_ns();
    const auto bytes_at = [&](NullCommand::Data data) {
      return kind.data == data ? kind.bytes_at : 0;
    };
    delay_.add({bytes_at(NullCommand::Data::write), kind.awake,
                seen_ns_.load(std::memory_order_acquire) - sent_ns},
               {bytes_at(NullCommand::Data::read), kind.awake,
                received_ns - answered_ns_.load(std::memory_order_acquire)});
    if (i >= at_first) {
      const std::lock_guard lock(mutex_);
      const Nanoseconds asked_ns = null_command_ns(kind.awake);
      at_client_.add(asked_ns, received_ns - sent_ns - asked_ns);
    }
    if (i + 1 == at_first) measured_("");
  }
  return "";
}

}  // namespace platter::emulator

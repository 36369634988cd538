// Commands outstanding on one path: their tags, what of them has come back, and in which order it
// is handed out. Of one thread, but for the carrier's, which bring them back.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "scsi/device.h"
#include "transport/flight.h"
#include "transport/host_clock.h"
#include "transport/waiting.h"

namespace platter::transport {

class InFlight final : private Arrivals {
 public:
  using MakeCarrier = std::function<std::unique_ptr<Carrier>(Arrivals& arrivals)>;
  // At most `most` at once. For sentences, `path` is the device.
  InFlight(std::string path, std::size_t most, const MakeCarrier& make);
  // Waits until the kernel has given back all of them.
  ~InFlight() override;
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  void prepare(std::size_t outstanding);
  bool empty() const;  // nothing is outstanding
  // As of a Device. A command whose path failed is reaped as that error.
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag);
  scsi::Expected<std::optional<scsi::Completion>> reap();
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns);

  // Those that are outstanding are reaped no more.
  void drop() noexcept;
  // Waits until the kernel has given back what was dropped.
  void settle() noexcept;

 private:
  enum class State : std::uint8_t { free, under_way, dropped, back };

  void coming() override;
  void back(Flight& flight) override;
  scsi::Expected<std::optional<scsi::Completion>> first(std::unique_lock<std::mutex>& lock);
  bool holds(State state) const;

  std::string path_;
  HostClock clock_;
  SleepPunctuality punctuality_{};
  std::vector<Flight> flights_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<State> states_;  // by the flight's number
  std::deque<Flight*> back_;   // by the time of completion
  std::atomic<int> coming_{0};
  std::atomic<std::uint64_t> arrivals_{0};
  std::unique_ptr<Carrier> carrier_;  // last: its threads use the others
};

}  // namespace platter::transport

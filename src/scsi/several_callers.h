// Several callers of one device, each of which sends a command and waits for it, as if it were
// alone: the commands of all are outstanding together. One caller runs at any time, and what the
// device answers first says who goes on: one seed, one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scsi/device.h"

namespace platter::scsi {

class SeveralCallers final : public Device {
 public:
  explicit SeveralCallers(Device& device);
  ~SeveralCallers() override;
  SeveralCallers(const SeveralCallers&) = delete;
  SeveralCallers& operator=(const SeveralCallers&) = delete;

  // Each to its end. What one of them throws ends the others at their next command, and is thrown
  // here, once nothing is outstanding.
  void run(std::vector<std::function<void()>> callers);

  // Outside of run() all goes to the device as it is.
  const std::string& name() const override { return device_.name(); }
  Clock& clock() override;
  std::uint32_t max_outstanding() const override { return device_.max_outstanding(); }
  std::uint32_t max_transfer_bytes() const override { return device_.max_transfer_bytes(); }
  void prepare_for(std::uint32_t outstanding) override { device_.prepare_for(outstanding); }
  std::uint64_t sent_again() override { return device_.sent_again(); }
  std::unique_ptr<Stamping> stamp() override { return device_.stamp(); }
  Expected<void> submit(const Command& command, std::uint32_t tag) override;
  Expected<void> submit_alone(const Command& command, std::uint32_t tag) override;
  Expected<std::optional<Completion>> reap() override;
  Expected<std::optional<Completion>> reap_until(Nanoseconds deadline_ns) override;
  Expected<void> reset() override { return device_.reset(); }

 private:
  class Turns;
  class SleepingClock;
  struct Caller;
  bool is_shared() const { return !callers_.empty(); }
  Caller& current() { return *callers_[turn_]; }
  Expected<std::optional<Completion>> wait_until(std::optional<Nanoseconds> deadline_ns);
  void sleep_until(Nanoseconds deadline_ns);
  void live(std::size_t caller, const std::function<void()>& work);
  void hand_on();
  std::size_t next();
  std::optional<std::size_t> goes_on() const;
  void hear_of(std::optional<std::size_t> first_to_wake);

  Device& device_;
  std::unique_ptr<SleepingClock> clock_;
  std::unique_ptr<Turns> turns_;
  std::vector<std::unique_ptr<Caller>> callers_;
  std::size_t turn_ = 0;  // of callers_; their number: of run()
  std::exception_ptr thrown_;
  std::uint32_t next_tag_ = 0;
  std::map<std::uint32_t, std::pair<std::size_t, std::uint32_t>> asked_;  // caller, its tag
};

}  // namespace platter::scsi

// A device with the manners of a table in front of it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <ostream>
#include <string>

#include "scsi/device.h"
#include "table.h"

namespace quirks {

class QuirkDevice final : public platter::scsi::Device {
 public:
  // `log` gets a line for each command, "ISSUE_NS TAG CDB BYTES RULE", the rule -1 where none acts,
  // and "-> TAG STATUS SENSE" for each that does not end with GOOD; nullptr: nobody does.
  QuirkDevice(std::unique_ptr<platter::scsi::Device> behind, Table table,
              std::ostream* log = nullptr);

  const std::string& name() const override { return behind_->name(); }
  platter::scsi::Clock& clock() override { return clock_; }
  std::uint32_t max_outstanding() const override { return behind_->max_outstanding(); }
  std::uint32_t max_transfer_bytes() const override { return behind_->max_transfer_bytes(); }

  platter::scsi::Expected<void> submit(const platter::scsi::Command& command,
                                       std::uint32_t tag) override;
  platter::scsi::Expected<std::optional<platter::scsi::Completion>> reap() override;
  platter::scsi::Expected<std::optional<platter::scsi::Completion>> reap_until(
      platter::Nanoseconds deadline_ns) override;
  platter::scsi::Expected<void> reset() override;

 private:
  // The time of the drive behind, or later, where the last reply was delayed.
  class DelayedClock final : public platter::scsi::Clock {
   public:
    explicit DelayedClock(platter::scsi::Clock& behind) : behind_(behind) {}
    platter::Nanoseconds now_ns() override { return std::max(behind_.now_ns(), reached_ns_); }
    void sleep_until_ns(platter::Nanoseconds deadline_ns) override {
      reached_ns_ = std::max(reached_ns_, deadline_ns);
    }
    // The drive behind is there, too: before a command is issued.
    void bring_up() { behind_.sleep_until_ns(now_ns()); }

   private:
    platter::scsi::Clock& behind_;
    platter::Nanoseconds reached_ns_ = 0;
  };

  struct Outstanding {
    platter::scsi::Command command;
    std::optional<std::size_t> rule;
    platter::Nanoseconds issued_ns = 0;
  };
  using Reply = std::optional<platter::scsi::Completion>;

  void take(platter::scsi::Completion reply);
  Reply deliver();
  void tell(const Outstanding& sent, std::uint32_t tag);

  std::unique_ptr<platter::scsi::Device> behind_;
  Table table_;
  std::ostream* log_;
  DelayedClock clock_;
  std::map<std::uint32_t, Outstanding> outstanding_;
  Reply held_;  // ended behind, and delayed past a deadline
  platter::Nanoseconds last_ns_ = 0;
  bool gone_ = false;
};

}  // namespace quirks

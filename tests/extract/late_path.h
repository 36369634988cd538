// A path to a virtual drive on which the host sees some completions later than they come.
#pragma once

#include <optional>

#include "virtual_drive/virtual_device.h"

namespace platter::extract {

class LatePath : public scsi::Device {
 public:
  explicit LatePath(const model::DriveModel& model) : drive_(model) {}
  const std::string& name() const override { return drive_.name(); }
  scsi::Clock& clock() override { return drive_.clock(); }
  std::uint32_t max_outstanding() const override { return drive_.max_outstanding(); }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    return drive_.submit(command, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override { return late(drive_.reap()); }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return late(drive_.reap_until(deadline_ns));
  }
  scsi::Expected<void> reset() override { return drive_.reset(); }

 private:
  // Of the completion that has come now; nullopt: at once.
  virtual std::optional<Nanoseconds> seen_ns(Nanoseconds now_ns) = 0;

  scsi::Expected<std::optional<scsi::Completion>> late(
      scsi::Expected<std::optional<scsi::Completion>> reaped) {
    if (!reaped || !*reaped) return reaped;
    if (const auto seen = seen_ns(clock().now_ns())) {
      clock().sleep_until_ns(*seen);
      (*reaped)->completed_ns = clock().now_ns();
    }
    return reaped;
  }

  virtual_drive::VirtualDevice drive_;
};

}  // namespace platter::extract

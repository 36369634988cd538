// A virtual drive: a target in virtual time, which stands still while nothing is sent. Its
// reference is docs/virtual-drives.md.
#pragma once

#include <string>

#include "scsi/device.h"
#include "virtual_drive/target.h"

namespace platter::virtual_drive {

class VirtualDevice final : public scsi::Device {
 public:
  // As Target.
  explicit VirtualDevice(const model::DriveModel& model, std::string name = "virtual");

  const std::string& name() const override;
  scsi::Clock& clock() override;
  std::uint32_t max_outstanding() const override;
  // A command past max_outstanding() completes at once with TASK SET FULL.
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override;
  scsi::Expected<std::optional<scsi::Completion>> reap() override;
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override;
  scsi::Expected<void> reset() override;

  const model::DriveModel& truth() const { return target_.truth(); }
  const engine::LayoutMap& layout() const { return target_.layout(); }
  Nanoseconds power_on_phase_ns() const { return target_.power_on_phase_ns(); }

 private:
  class VirtualClock final : public scsi::Clock {
   public:
    Nanoseconds now_ns() override { return now_ns_; }
    void sleep_until_ns(Nanoseconds deadline_ns) override;

   private:
    Nanoseconds now_ns_ = 0;
  };
  std::optional<scsi::Completion> earliest(std::optional<Nanoseconds> deadline_ns);

  std::string name_;
  VirtualClock clock_;
  Target target_;
};

}  // namespace platter::virtual_drive

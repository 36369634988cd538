// A virtual drive: a target in virtual time, which stands still while nothing is sent, behind a
// host whose clock may be another. Its reference is docs/virtual-drives.md.
#pragma once

#include <string>
#include <utility>

#include "scsi/device.h"
#include "virtual_drive/host_time.h"
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
    explicit VirtualClock(HostTime host) : host_(std::move(host)) {}
    Nanoseconds now_ns() override { return host_.shown_ns(drive_ns_); }
    Nanoseconds with_sleep_ns() override { return host_.with_sleep_ns(drive_ns_); }
    void sleep_until_ns(Nanoseconds deadline_ns) override;

    Nanoseconds drive_ns() const { return drive_ns_; }
    // When the drive's time is so much the host's clock shows the result.
    Nanoseconds shown_ns(Nanoseconds drive_ns) { return host_.shown_ns(drive_ns); }
    Nanoseconds drive_ns_of(Nanoseconds shown_ns) { return host_.drive_ns(shown_ns, drive_ns_); }
    void notice(Nanoseconds drive_ns);

   private:
    HostTime host_;
    Nanoseconds drive_ns_ = 0;
  };
  // Until a time of the drive.
  std::optional<scsi::Completion> earliest(std::optional<Nanoseconds> deadline_ns);

  std::string name_;
  Target target_;
  VirtualClock clock_;
};

}  // namespace platter::virtual_drive

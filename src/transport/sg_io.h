// /dev/sgN, /dev/sdX and /dev/bsg/...: a real drive through Linux's SG_IO.
// Synchronous: submit() runs the command, reap() hands out its completion.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "scsi/device.h"
#include "transport/descriptor.h"
#include "transport/drive_lock.h"
#include "transport/host_clock.h"
#include "transport/kernel_stamps.h"
#include "transport/pass_through.h"

namespace platter::transport {

class SgIoDevice final : public scsi::Device {
 public:
  // Throws Error: no_device (missing, no SCSI disk, a partition), permission, refused (mounted,
  // held, in use by another platter, or its block device cannot be opened exclusively, which it
  // then stays as long as this lives).
  explicit SgIoDevice(const std::string& path);
  ~SgIoDevice() override;

  const std::string& name() const override { return path_; }
  scsi::Clock& clock() override { return clock_; }
  std::uint32_t max_outstanding() const override { return 1; }
  std::uint32_t max_transfer_bytes() const override { return max_transfer_bytes_; }
  std::unique_ptr<scsi::Stamping> stamp() override;
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override;
  scsi::Expected<std::optional<scsi::Completion>> reap() override;
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override;
  scsi::Expected<void> reset() override;

 private:
  void reserve(std::size_t bytes);
  int commands_to() const;
  void take(const scsi::Command& command, const Answer& answer, scsi::Completion& done) const;

  std::string path_;
  HostClock clock_;
  LowLatency low_latency_;
  DriveLock lock_;
  Descriptor exclusive_;  // the block device, so that nobody mounts it meanwhile
  Descriptor device_;     // what commands go to, if that is another one
  SgVersion version_ = SgVersion::three;
  std::array<std::uint8_t, 252> sense_{};
  std::uint8_t* buffer_ = nullptr;  // page-aligned, so that the kernel maps it instead of copying
  std::uint8_t* allocation_ = nullptr;
  std::size_t buffer_bytes_ = 0;
  std::uint32_t max_transfer_bytes_ = 0;
  std::optional<scsi::Completion> done_;
  std::string unit_;
  std::optional<std::unique_ptr<KernelStamps>> stamps_;  // once asked for; nullptr: there are none
};

}  // namespace platter::transport

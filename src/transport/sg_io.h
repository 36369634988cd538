// /dev/sgN, /dev/sdX and /dev/bsg/...: a real drive through Linux's SG_IO, by libsgutils2's sg_pt.
// Synchronous: submit() runs the command, reap() hands out its completion.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "scsi/device.h"
#include "transport/host_clock.h"

struct sg_pt_base;

namespace platter::transport {

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

class SgIoDevice final : public scsi::Device {
 public:
  // Throws Error: no_device (missing, no SCSI disk, a partition), permission, refused (mounted,
  // held, or its block device cannot be opened exclusively, which it then stays as long as this
  // lives).
  explicit SgIoDevice(const std::string& path);
  ~SgIoDevice() override;

  const std::string& name() const override { return path_; }
  scsi::Clock& clock() override { return clock_; }
  std::uint32_t max_outstanding() const override { return 1; }
  std::uint32_t max_transfer_bytes() const override { return max_transfer_bytes_; }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override;
  scsi::Expected<std::optional<scsi::Completion>> reap() override;
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override;
  scsi::Expected<void> reset() override;

 private:
  void reserve(std::size_t bytes);
  scsi::Expected<void> outcome(const scsi::Command& command, int sent, scsi::Completion& done);

  std::string path_;
  HostClock clock_;
  LowLatency low_latency_;
  Descriptor exclusive_;  // the block device, so that nobody mounts it meanwhile
  Descriptor device_;     // what commands go to, if that is another one
  sg_pt_base* pass_through_ = nullptr;
  std::array<std::uint8_t, 32> cdb_{};
  std::array<std::uint8_t, 252> sense_{};
  std::uint8_t* buffer_ = nullptr;  // page-aligned, so that the kernel maps it instead of copying
  std::uint8_t* allocation_ = nullptr;
  std::size_t buffer_bytes_ = 0;
  std::uint32_t max_transfer_bytes_ = 0;
  std::optional<scsi::Completion> done_;
};

}  // namespace platter::transport

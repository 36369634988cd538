// /dev/sgN, /dev/sdX and /dev/bsg/...: a real drive through Linux's SG_IO. submit_alone() is the
// plain ioctl, which waits for the drive; submit() has several commands under way.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "model/descriptor.h"
#include "scsi/device.h"
#include "transport/drive_lock.h"
#include "transport/flight.h"
#include "transport/host_clock.h"
#include "transport/in_flight.h"
#include "transport/kernel_stamps.h"
#include "transport/pass_through.h"

namespace platter::transport {

// What is done with a drive of which nobody can tell whether it is in use (holders.h).
enum class UnknownUse : std::uint8_t { refused, taken };

class SgIoDevice final : public scsi::Device {
 public:
  // Throws Error: no_device (missing, no SCSI disk, a partition), permission, refused (mounted,
  // held, in use by another platter, perhaps in use, or its block device cannot be opened
  // exclusively, which it then stays as long as this lives).
  explicit SgIoDevice(const std::string& path, UnknownUse of_unknown = UnknownUse::refused);
  ~SgIoDevice() override;

  // nullopt: it is not in use, and stays so as long as this lives.
  const std::optional<std::string>& why_use_is_unknown() const { return why_use_is_unknown_; }
  const std::string& name() const override { return path_; }
  scsi::Clock& clock() override { return clock_; }
  // What the kernel sends to this drive at once, at most 64; 1 where it does not say.
  std::uint32_t max_outstanding() const override { return max_outstanding_; }
  std::uint32_t max_transfer_bytes() const override { return max_transfer_bytes_; }
  void prepare_for(std::uint32_t outstanding) override;
  // Others that send commands to the drive are counted, too.
  std::uint64_t sent_again() override;
  std::unique_ptr<scsi::Stamping> stamp() override;
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override;
  scsi::Expected<void> submit_alone(const scsi::Command& command, std::uint32_t tag) override;
  scsi::Expected<std::optional<scsi::Completion>> reap() override;
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override;
  // Waits for what the kernel owes of the commands that were outstanding.
  scsi::Expected<void> reset() override;

 private:
  int commands_to() const;
  InFlight& in_flight();
  std::unique_ptr<Carrier> carrier(Arrivals& arrivals) const;

  std::string path_;
  std::optional<std::string> why_use_is_unknown_;
  HostClock clock_;
  LowLatency low_latency_;
  DriveLock lock_;
  model::Descriptor exclusive_;  // the block device, so that nobody mounts it meanwhile
  model::Descriptor device_;     // what commands go to, if that is another one
  bool is_sg_ = false;           // the sg driver's node, which knows more than an ioctl
  SgVersion version_ = SgVersion::three;
  std::uint32_t max_transfer_bytes_ = 0, max_outstanding_ = 1;
  Flight alone_;
  std::optional<scsi::Completion> done_;  // of the command that was submitted alone
  std::unique_ptr<InFlight> in_flight_;   // once several may be outstanding
  std::string unit_;
  std::uint32_t dispatched_before_ = 0, sent_ = 0;  // commands: the kernel's count, and ours since
  std::int32_t sent_again_ = 0;
  std::optional<std::unique_ptr<KernelStamps>> stamps_;  // once asked for; nullptr: there are none
};

// How much one command may carry on this machine, as the kernel's sysfs tells it.
// Bytes of one command to the drive of this block device ("sda"), by what its host adapter and the
// kernel take: max_hw_sectors_kb, and max_segments of one page each, for the pages of a buffer need
// not lie side by side. 0: it does not say. `root` is prefixed to the path: a folder in tests.
std::uint32_t most_transfer_bytes(const std::string& block, const std::string& root = "");

// Commands that the kernel has handed to the host adapter for this unit ("host:channel:id:lun"),
// modulo 2^32: each time anew where the drive refused it. nullopt: it does not say.
std::optional<std::uint32_t> commands_dispatched(const std::string& unit,
                                                 const std::string& root = "");

}  // namespace platter::transport

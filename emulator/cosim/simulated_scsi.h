// SCSI drives for a guest in simulated time: the vhost-user device, whose notifications are
// messages, and the host behind it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "emulator/cosim/calendar.h"
#include "emulator/scsi/scsi_drive.h"
#include "emulator/vhost_user/device.h"
#include "emulator/vhost_user/scsi_host.h"

namespace platter::emulator {

class SimulatedScsi final : public SimulatedDrives {
 public:
  // All outlive it. `speed`: so many times as fast as the guest's clock goes the drives' one.
  SimulatedScsi(std::span<const std::unique_ptr<ScsiDrive>> drives, int socket, int speed);

  int socket() const override { return socket_; }
  bool take(Nanoseconds now_ns) override;
  void answer() override;
  std::optional<Nanoseconds> due() const override;
  bool deliver(Nanoseconds until_ns) override;

  std::uint64_t commands() const { return commands_; }
  // The guest is gone; what it asked for last has no answer.
  void forget(Nanoseconds now_ns) { host_.forget(drives_time(now_ns)); }
  // The power of all drives goes: the guest's end.
  void cut_power(Nanoseconds now_ns) {
    shared_.power_cycle(drives_time(now_ns));
    host_.lost_power();
  }

 private:
  Nanoseconds drives_time(Nanoseconds guests_ns) const { return guests_ns * speed_; }
  // At which the drives' clock has reached that time.
  Nanoseconds guests_time(Nanoseconds drives_ns) const { return (drives_ns + speed_ - 1) / speed_; }
  void note_answered(Nanoseconds at_ns);
  bool call();
  void stop_queue();
  void serve(unsigned queue, Nanoseconds now_ns);

  std::span<const std::unique_ptr<ScsiDrive>> drives_;
  int socket_;
  int speed_;
  std::array<Virtqueue, virtio::kQueues> queues_{};
  SharedDrives shared_;
  ScsiHost host_;
  Device device_;
  std::optional<Message> reply_{};
  std::array<bool, virtio::kQueues> to_be_called_{};
  std::optional<Nanoseconds> answered_ns_{};  // the guest's time; there are answers of which the
                                              // guest is not told
  std::uint64_t commands_ = 0;
};

}  // namespace platter::emulator

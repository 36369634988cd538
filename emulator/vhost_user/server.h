// Drives for one guest after the other, in real time: one thread that sleeps until something comes
// or is due, and spins at the end.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/pace/clock.h"
#include "emulator/pace/lateness.h"
#include "emulator/pace/transport_delay.h"
#include "emulator/scsi/drive_set.h"
#include "emulator/vhost_user/device.h"
#include "emulator/vhost_user/keeper.h"
#include "emulator/vhost_user/scsi_host.h"
#include "emulator/vhost_user/wake_probe.h"

namespace platter::emulator {

class Server {
 public:
  // What a signal asked for while it served.
  enum class Asked { nothing, report, power_cut, end };

  struct Surroundings {
    int listening;   // a Unix socket, which stays the caller's
    int wake;        // readable when `asked` has something to say
    Keeper* keeper;  // null: contents need not outlive the host
    WakeProbe* probe;
    std::function<Asked()> asked;
    std::function<void(const std::string&)> notice;  // a sentence for a person
    std::function<void()> report;
  };

  // All outlive it.
  Server(const DriveSet::Drives& drives, const DriveClock& clock, const TransportDelay& delay,
         Surroundings surroundings);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Returns when it is asked to end.
  void run();

  const Lateness& lateness(std::size_t drive) const { return lateness_[drive]; }
  std::uint64_t power_cuts() const { return power_cuts_; }

 private:
  struct Connection {
    OwnedDescriptor socket{};
    std::unique_ptr<Device> device{};
  };

  Nanoseconds leaves_host_ns(Nanoseconds completion_ns) const;
  std::optional<Nanoseconds> next_host_ns() const;
  bool wait();
  bool sleep(std::optional<Nanoseconds> until_host_ns);
  bool spin(Nanoseconds until_host_ns);
  bool has_request() const;
  void connect();
  void hang_up();
  void converse();
  void do_what_is_asked();
  void serve_rings(Nanoseconds came_host_ns);
  void deliver_what_is_due();
  void call();

  const DriveSet::Drives& drives_;
  const DriveClock& clock_;
  const TransportDelay& delay_;
  const Surroundings around_;
  std::array<Virtqueue, virtio::kQueues> queues_{};
  ScsiHost host_;
  std::optional<Connection> connection_{};
  std::vector<Lateness> lateness_;
  std::uint64_t power_cuts_ = 0;
  bool ends_ = false;
};

}  // namespace platter::emulator

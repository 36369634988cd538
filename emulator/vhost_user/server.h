// Drives for guests, in real time: one thread that sleeps until something comes or is due, and
// spins at the end. No guest makes it wait.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/pace/lateness.h"
#include "emulator/pace/real_time.h"
#include "emulator/pace/transport_delay.h"
#include "emulator/scsi/drive_set.h"
#include "emulator/vhost_user/doorbell.h"
#include "emulator/vhost_user/keeper.h"
#include "emulator/vhost_user/served_guest.h"
#include "emulator/vhost_user/shared_drives.h"
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

  // So many guests are served at once. One more takes the place of the one that has been there
  // longest without having begun; where all have, it waits.
  static constexpr std::size_t kMostGuests = 64;

  // Returns when it is asked to end.
  void run();

  const Lateness& lateness(std::size_t drive) const { return lateness_[drive]; }
  std::uint64_t power_cuts() const { return power_cuts_; }

 private:
  Nanoseconds leaves_host_ns(Nanoseconds completion_ns) const;
  std::optional<Nanoseconds> next_host_ns() const;
  bool wait();
  bool sleep(std::optional<Nanoseconds> until_host_ns);
  bool spin(Nanoseconds until_host_ns);
  bool has_request() const;
  void connect_all();
  bool connect();
  bool can_connect() const;
  std::size_t idle_guest() const;
  template <typename Action>
  bool serves(std::size_t guest, Action action);
  template <typename Action>
  void for_each_guest(Action action);
  void hang_up(std::size_t guest, const std::string& why);
  void hang_up_all();
  void share_room();
  void tell(const std::string& why);
  void hear();
  void do_what_is_asked();
  void serve_rings(Nanoseconds came_host_ns);
  void deliver_what_is_due();
  void deliver(scsi::Completion completion);
  void let_the_largest_go();

  const DriveSet::Drives& drives_;
  const DriveClock& clock_;
  const TransportDelay& delay_;
  const Surroundings around_;
  Doorbells doorbells_{};
  SharedDrives shared_;
  std::optional<Patience> patience_{};                // of the thread that runs
  std::vector<std::unique_ptr<ServedGuest>> guests_;  // by their numbers; nullptr: none
  std::vector<std::uint64_t> came_;                   // of each: the how-manieth it is
  std::vector<std::uint64_t> had_;                    // of each: bytes, as serve_rings() counts
  std::uint64_t turn_ = 0;                            // of the one served last: had_ before
  std::uint64_t connected_ = 0;
  Nanoseconds looked_ns_ = 0, connects_again_ns_ = 0;
  Nanoseconds told_until_ns_ = 0;
  std::vector<Lateness> lateness_;
  std::uint64_t power_cuts_ = 0;
  bool ends_ = false;
};

}  // namespace platter::emulator

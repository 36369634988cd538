// The calendar of a simulation: the guest's kernel in time-travel mode asks when it may go on, and
// is told when a drive is to interrupt it. Nothing here takes time, and nothing depends on when it
// is asked. The guest's side of it is preload/local_calendar.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "emulator/cosim/guest_link.h"
#include "model/units.h"

namespace platter::emulator {

// What a calendar has to know of the drives: what the guest tells them and when, and what they do
// next.
class SimulatedDrives {
 public:
  virtual ~SimulatedDrives() = default;

  // Readable when the guest has a message. It waits then, until it is answered.
  virtual int socket() const = 0;
  // Takes the message, which came at that time. false: the guest has hung up. Throws BrokenGuest.
  virtual bool take(Nanoseconds now_ns) = 0;
  virtual void answer() = 0;

  // Nothing happens before; nullopt: nothing at all, unless the guest asks for something.
  virtual std::optional<Nanoseconds> due() const = 0;
  // Gives the guest what is due by then. Whether it is interrupted.
  virtual bool deliver(Nanoseconds until_ns) = 0;
};

class Calendar {
 public:
  struct Counts {
    std::uint64_t messages = 0;  // to and from the kernel
    std::uint64_t kicks = 0;
  };

  // All outlive it. `socket` is the kernel's. `cpu_factor`: how often the time that the guest's
  // programs took of the host's processor passes before their next request reaches a drive.
  Calendar(SimulatedDrives& drives, platter_cosim_page& page, int socket, double cpu_factor = 0);

  // Nothing of the guest reaches a drive from then on.
  void end_at(Nanoseconds end_ns);
  bool is_at_end() const { return is_at_end_; }

  // The drives' socket, or the kernel's, is readable. false: the guest is gone, or at its end, and
  // has no answer. Throws BrokenGuest.
  bool serve_drives();
  bool serve_kernel();

  // The guest's time, as far as it has told.
  Nanoseconds now_ns() const { return std::max(now_ns_, static_cast<Nanoseconds>(page_.guest_ns)); }
  const Counts& counts() const { return counts_; }

 private:
  Nanoseconds arrival_ns();
  void tell_when_due();
  bool ends_before(Nanoseconds next_ns);
  std::optional<Nanoseconds> goes_on_at(Nanoseconds asked_ns);

  SimulatedDrives& drives_;
  platter_cosim_page& page_;
  int socket_;
  double cpu_factor_;
  Nanoseconds now_ns_ = 0;
  std::optional<Nanoseconds> end_ns_{};
  bool is_at_end_ = false;
  Nanoseconds busy_until_ns_ = 0;     // with what its programs compute
  std::uint64_t charged_cpu_ns_ = 0;  // of the page's
  Counts counts_{};
};

}  // namespace platter::emulator

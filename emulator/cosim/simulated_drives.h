// What a calendar has to know of the drives: what the guest tells them and when, and what they do
// next.
#pragma once

#include <optional>

#include "model/units.h"

namespace platter::emulator {

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

}  // namespace platter::emulator

// The power condition of a drive, as START STOP UNIT asks for it (SBC-3 clauses 4.20 and 5.24), and
// what the next command on the medium waits for because of it.
#pragma once

#include <cstdint>
#include <optional>

#include "model/units.h"
#include "virtual_drive/sense_data.h"

namespace platter::virtual_drive {

class Spindle {
 public:
  enum class Condition : std::uint8_t { active, idle, standby, stopped };

  // `idle_wake_ns`: the way back from idle. A drive that was powered on spins.
  Spindle(Nanoseconds idle_wake_ns, Nanoseconds spin_up_ns)
      : idle_wake_ns_(idle_wake_ns), spin_up_ns_(spin_up_ns) {}

  void power_on() { *this = Spindle(idle_wake_ns_, spin_up_ns_); }
  // Returns how long it takes until the drive is there: the spin-up, where that is due.
  Nanoseconds go_to(Condition condition);
  // Who has the time tells whether a spin-up that go_to() has begun is still going on.
  void set_spinning_up(bool spinning_up) { spinning_up_ = spinning_up; }

  // Why a command on the medium is refused; nullopt: it is not.
  std::optional<SenseCode> not_ready() const;
  // What REQUEST SENSE says if nothing else is the matter.
  SenseCode told() const;
  // What the command on the medium that brings the drive back to active waits for.
  Nanoseconds wake_up_ns();

  std::uint32_t starts() const { return starts_; }

 private:
  Nanoseconds idle_wake_ns_, spin_up_ns_;
  Condition condition_ = Condition::active;
  bool spinning_up_ = false;
  std::uint32_t starts_ = 1;
};

}  // namespace platter::virtual_drive

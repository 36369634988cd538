// The time of a host whose clock is not the drive's: it sleeps and its clock stands still, its
// clock steps, or it stands still for the run while its clock goes on. The drive's time goes on
// evenly through all of it. A pure function of the imperfections' seed.
#pragma once

#include <cstdint>
#include <vector>

#include "model/drive_model.h"
#include "model/units.h"

namespace platter::virtual_drive {

class HostTime {
 public:
  // `seed`: the imperfections', none of chance.
  HostTime(const model::Imperfections& imperfections, std::uint64_t seed);

  // What the host's clock shows at a time of the drive.
  Nanoseconds shown_ns(Nanoseconds drive_ns);
  // The same with what it slept.
  Nanoseconds with_sleep_ns(Nanoseconds drive_ns);
  // When, in the drive's time, the host notices what happens then.
  Nanoseconds noticed_ns(Nanoseconds drive_ns);
  // The drive's time, `from_ns` or later, at which the host's clock shows so much, and it notices.
  Nanoseconds drive_ns(Nanoseconds shown_ns, Nanoseconds from_ns);

 private:
  struct Event {
    Nanoseconds begin_ns = 0, length_ns = 0;  // of a step: by how much
  };
  // One after the other, each about so long after the end of the one before.
  class Events {
   public:
    Events(std::uint64_t seed, double every_ns, double length_ns, bool take_time)
        : seed_(seed), every_ns_(every_ns), length_ns_(length_ns), take_time_(take_time) {}
    // The sum of what had passed of them by then.
    Nanoseconds passed_ns(Nanoseconds drive_ns);
    // The end of the one that is under way, else the time itself.
    Nanoseconds end_ns(Nanoseconds drive_ns);

   private:
    void grow_to(Nanoseconds drive_ns);
    std::uint64_t seed_;
    double every_ns_, length_ns_;
    bool take_time_;
    std::vector<Event> events_;
  };

  Events sleeps_, steps_, stops_;
};

}  // namespace platter::virtual_drive

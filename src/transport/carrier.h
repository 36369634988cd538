// How commands get into the kernel and back, several at a time. Two ways, of which each is the best
// for its nodes (docs/performance.md has the measurement): AsynchronousSg for /dev/sgN,
// ThreadsOfIoctl for /dev/sdX and /dev/bsg/..., which have no other.
#pragma once

#include "transport/flight.h"

namespace platter::transport {

// Where flights come back to, from other threads.
class Arrivals {
 public:
  virtual ~Arrivals() = default;
  // Of a carrier of several threads, before it reads the time of completion: who has come with an
  // earlier time must not be overtaken by those that have told it already.
  virtual void coming() = 0;
  // Once for each that was sent, and behind each coming().
  virtual void back(Flight& flight) = 0;
};

class Carrier {
 public:
  // Only once all are back: the kernel writes into a flight until then.
  virtual ~Carrier() = default;
  // What the first so many flights need. What they lack when they are sent is made then.
  virtual void prepare(std::size_t flights) = 0;
  // Returns when the kernel has it, or is just getting it. Errno: it was not sent, and is not
  // coming back.
  virtual int send(Flight& flight) = 0;
};

}  // namespace platter::transport

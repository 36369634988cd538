// Answers when it is time, in place of the thread that served a request: of a front end whose one
// thread holds the clock.
#pragma once

#include <functional>

#include "model/units.h"

namespace platter::emulator {

class Courier {
 public:
  // Told when the answer leaves; false: there is none any more.
  using Delivered = std::function<bool(Nanoseconds now_host_ns)>;

  virtual ~Courier() = default;
  // `error`: 0 or an errno. Returns at once, and `delivered` is called by nobody until then; it
  // comes before the answer. Who is told twice of one request answers what is due first, and
  // forgets the other.
  virtual void answer_at(Nanoseconds leaves_host_ns, int error, Delivered delivered) = 0;
  // It is the one that calls take_due(), and the time for that may be another now.
  virtual void look_again() = 0;
};

// In place of an errno: a courier answers.
inline constexpr int kByCourier = -1;

}  // namespace platter::emulator

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
  // `error`: 0 or an errno. Returns at once. `delivered` comes before the answer.
  virtual void answer_at(Nanoseconds leaves_host_ns, int error, Delivered delivered) = 0;
};

// In place of an errno: a courier answers.
inline constexpr int kByCourier = -1;

}  // namespace platter::emulator

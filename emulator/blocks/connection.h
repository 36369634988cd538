// A client's connection, as those that serve its requests have to know it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "model/units.h"

namespace platter::emulator {

class Connection {
 public:
  // `power`: how often the drive's had gone when it came: a cut hangs it up. `has_gone` is asked
  // by a thread that serves one of its requests, which then has no answer; nothing: it stays.
  Connection(std::uint64_t power = 0, std::function<bool()> has_gone = nullptr)
      : power_(power), has_gone_(std::move(has_gone)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  std::uint64_t power() const { return power_; }
  bool is_gone() const { return gone_.load(std::memory_order_acquire); }
  void set_gone() const { gone_.store(true, std::memory_order_release); }
  // Asks whether it is, if nobody has for `every_ns`.
  bool ask(Nanoseconds now_ns, Nanoseconds every_ns) const {
    if (is_gone() || !has_gone_) return is_gone();
    Nanoseconds asked_ns = asked_ns_;
    if (now_ns - asked_ns < every_ns || !asked_ns_.compare_exchange_strong(asked_ns, now_ns))
      return false;
    if (has_gone_()) gone_ = true;
    return is_gone();
  }

  // The drive's, under its mutex: its place among those that wait for one.
  mutable std::uint64_t admitted = 0;
  // Likewise when it was answered last, by the host's clock.
  mutable Nanoseconds answered_ns = 0;
  // Of its requests one at a time writes many zeros into a cache, so that others come to it, too.
  mutable std::mutex zeroing{};

 private:
  const std::uint64_t power_;
  const std::function<bool()> has_gone_;
  mutable std::atomic<bool> gone_{false};
  mutable std::atomic<Nanoseconds> asked_ns_{0};
};

// Answers when it is time, in place of the thread that served a request: of a front end whose one
// thread holds the clock.
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

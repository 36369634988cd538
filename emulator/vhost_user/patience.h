// Ends a system call that takes too long: what waits on another's descriptor may wait for ever.
#pragma once

#include <ctime>

namespace platter::emulator {

class Patience {
 public:
  // For the calling thread, which alone uses it; it takes SIGALRM from now on.
  Patience();
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  // Runs a call; when it has taken 20 ms, and every 20 ms from then on, it is interrupted (EINTR).
  template <typename Call>
  auto within(Call call) {
    set(kPatience_ns);
    const auto result = call();
    set(0);
    return result;
  }

 private:
  static constexpr long kPatience_ns = 20'000'000;
  void set(long ns) const;

  timer_t timer_{};
};

}  // namespace platter::emulator

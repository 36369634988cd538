// Signals that a server takes when it wants to, in place of being interrupted.
#pragma once

#include <csignal>
#include <initializer_list>

namespace platter::jobs {

class TakenSignals {
 public:
  // They wait from here on, SIGHUP only where nobody ignores it.
  explicit TakenSignals(std::initializer_list<int> taken);
  ~TakenSignals();
  TakenSignals(const TakenSignals&) = delete;
  TakenSignals& operator=(const TakenSignals&) = delete;

  // The next one, when it comes.
  int next() const;
  // Readable when one waits (a signalfd), which then read() gives; 0: there is none.
  int descriptor();
  int read();
  // For a child.
  void leave_as_before() const noexcept;

 private:
  sigset_t taken_{}, before_{};
  int descriptor_ = -1;
};

}  // namespace platter::jobs

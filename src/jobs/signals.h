// Signals: those that a server takes when it wants to, and those that end a run in order.
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

// SIGINT, SIGTERM and SIGHUP. What uses no drive ends at once, without its temporary files. What
// does is asked to stop (model/interruption.h) and ends in order: settings restored, nothing
// half-written.
// Throws Error(interrupted) where somebody has asked to stop before.
void end_at_once_on_signals();
// From here on they ask. A second one, a moment later, ends at once: the safety journal is there
// for it.
void catch_interrupts();
bool interrupted();

}  // namespace platter::jobs

// How a thread that times commands is scheduled where the host is kept quiet: in front of all
// others (SCHED_FIFO), for as long as it waits for drives. Where it computes it goes back among
// them: the kernel itself counts how long it ran without waiting (RLIMIT_RTTIME), so nothing that
// happens in here starves the machine.
#pragma once

#include <optional>
#include <string>

namespace platter::transport {

// Moves the thread that makes it in front, and those that send commands for it; one a process.
class MeasuringThread {
 public:
  MeasuringThread();
  ~MeasuringThread();
  MeasuringThread(const MeasuringThread&) = delete;
  MeasuringThread& operator=(const MeasuringThread&) = delete;
  // The kernel's reason; nullopt: it is in front.
  const std::optional<std::string>& why_not() const { return why_not_; }

 private:
  std::optional<std::string> why_not_;
};

// Keeps the thread that makes it on one processor.
class OnOneProcessor {
 public:
  explicit OnOneProcessor(int processor);
  ~OnOneProcessor();
  OnOneProcessor(const OnOneProcessor&) = delete;
  OnOneProcessor& operator=(const OnOneProcessor&) = delete;
  const std::optional<std::string>& why_not() const { return why_not_; }

 private:
  std::optional<std::string> why_not_;
};

// Before a command is timed: in front again, where the thread went back because it computed. Two
// system calls then, none otherwise.
void step_in_front();

// At the beginning of a thread that sends commands for the measuring one: in front as that is, but
// on any processor, because that one waits for it.
void join_measuring();

}  // namespace platter::transport

// --quiet-host: what can be done from here so that this host disturbs times less, and undone when
// the measurement ends. What cannot be done is named, and is no failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/fast_processors.h"
#include "host/runs.h"
#include "transport/host_clock.h"
#include "transport/measuring_thread.h"

namespace platter::host {

// What the thread that times commands does between them. One that computes for the drive, too, is
// moved neither in front of all others nor to a processor of its own.
enum class Thread : std::uint8_t { waits_for_drive, computes };

class QuietHost {
 public:
  // For the thread that makes it, which is going to time commands.
  explicit QuietHost(Thread thread, const std::string& root = "");
  // Where end() was not asked.
  ~QuietHost();
  QuietHost(const QuietHost&) = delete;
  QuietHost& operator=(const QuietHost&) = delete;

  // "the memory of platter is locked"
  const std::vector<std::string>& done() const { return done_; }
  // With the reason.
  const std::vector<std::string>& not_done() const { return not_done_; }
  // Both, for a reader of what was measured.
  std::string in_words() const;

  // All is undone; what could not be.
  std::vector<std::string> end();

 private:
  void lock_memory();
  void take_processor();
  void keep_awake();
  void keep_fast();
  void step_in_front();

  std::string root_;
  RunsFolder runs_;
  std::vector<std::string> done_, not_done_;
  std::optional<FastProcessors> fast_;
  std::optional<transport::LowLatency> awake_;
  bool memory_locked_ = false;
  std::optional<RunsFolder::Processor> processor_;
  std::optional<transport::OnOneProcessor> alone_;
  std::optional<transport::MeasuringThread> in_front_;
};

}  // namespace platter::host

// The run on one drive of several: platter itself, as a process of its own.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "jobs/signals.h"
#include "model/descriptor.h"

namespace platter::jobs {

// In a process group of its own, so that a terminal's signals come through us alone. Where we are
// killed it is asked to stop by SIGTERM.
class DriveRun {
 public:
  // `arguments`: what stands behind the program's name. Throws Error(internal) where it cannot be
  // started.
  DriveRun(const std::vector<std::string>& arguments, const TakenSignals& signals);
  // Waits for it, after SIGTERM.
  ~DriveRun();
  DriveRun(const DriveRun&) = delete;
  DriveRun& operator=(const DriveRun&) = delete;

  // Its standard error: readable where lines() has something.
  int descriptor() const { return messages_.get(); }
  // The lines that came since, without waiting; once it has ended also what has no line's end.
  std::vector<std::string> lines();
  void signal(int number) const;
  // What waitpid() tells, once it has ended.
  std::optional<int> ended();

 private:
  model::Descriptor messages_{};
  pid_t pid_ = -1;
  std::string begun_{};  // a line whose end is to come
  std::optional<int> status_{};
};

}  // namespace platter::jobs

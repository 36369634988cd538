// Where the runs on several drives tell how far they are.
#pragma once

#include <cstddef>
#include <string>

#include "jobs/progress_text.h"

namespace platter::jobs {

// `drive`: its place in the order in which they were named.
class DrivesProgress {
 public:
  virtual ~DrivesProgress() = default;
  virtual void began(std::size_t drive) = 0;
  virtual void stands(std::size_t drive, const Standing& standing) = 0;
  // `status`, as DriveOutcome has it; `sentence`: empty where all is well.
  virtual void ended(std::size_t drive, int status, double seconds,
                     const std::string& sentence) = 0;
  // A line of its own.
  virtual void say(std::size_t drive, const std::string& line) = 0;
  // What is due now.
  virtual void show() = 0;
  virtual void clear() = 0;
};

}  // namespace platter::jobs

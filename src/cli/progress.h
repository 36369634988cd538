// A progress bar for people: stage, share, time left. Silent when standard error is no terminal.
#pragma once

#include <chrono>
#include <string>

namespace platter::cli {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();  // clears the line
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `share` of the whole work that is done, 0 to 1. Draws at most ten times a second.
  void show(const std::string& stage, double share);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  Clock::time_point began_, drawn_;
  std::string stage_;
  std::size_t width_ = 0;
};

}  // namespace platter::cli

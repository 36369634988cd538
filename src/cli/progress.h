// How far a run is, on standard error: stage, share, time left. A bar on a terminal; else lines, at
// most one each 10 s and one a stage, none in the first seconds. Never silent for 15 s, also while
// nothing is asked of the drive.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "jobs/progress.h"

namespace platter::cli {

enum class ProgressKind : std::uint8_t {
  fitting,  // a bar on a terminal, else plain
  plain,    // lines for people
  json,     // {"stage", "share", "seconds_left"} a line; the last is null where it is not known
  none
};

// A bar is for terminals alone.
ProgressKind without_bar_elsewhere(ProgressKind kind);

class Progress final : public jobs::Progress {
 public:
  explicit Progress(ProgressKind kind = ProgressKind::fitting);
  ~Progress() override;  // clears the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Draws a bar at most ten times a second. The time that counts is that since the first call.
  void show(const std::string& stage, double share,
            std::optional<double> left_s = std::nullopt) override;
  void clear() override;

 private:
  using Clock = std::chrono::steady_clock;

  void begin(Clock::time_point now);
  void tell(Clock::time_point now);
  void keep_telling();
  std::optional<double> seconds_left(Clock::time_point now) const;

  ProgressKind kind_;
  Clock::time_point began_{}, told_{};
  std::string stage_{}, told_stage_{};
  double share_ = 0;
  std::optional<double> left_s_{};
  std::size_t width_ = 0;
  bool ended_ = false;
  std::mutex mutex_{};
  std::condition_variable end_{};
  std::thread teller_{};
};

}  // namespace platter::cli

// How far the runs on several drives are, on standard error: on a terminal a bar for each that goes
// on, else a line for each every 10 s, or what each tells as JSON; and what is said of a drive.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "cli/progress.h"
#include "jobs/progress_text.h"
#include "model/quietly.h"

namespace platter::cli {

class DrivesProgress final : public jobs::DrivesProgress {
 public:
  DrivesProgress(ProgressKind kind, std::vector<std::string> names);
  ~DrivesProgress() override {
    model::quietly([this] { clear(); });
  }
  DrivesProgress(const DrivesProgress&) = delete;
  DrivesProgress& operator=(const DrivesProgress&) = delete;

  void began(std::size_t drive) override;
  void stands(std::size_t drive, const jobs::Standing& standing) override;
  void ended(std::size_t drive, int status, double seconds, const std::string& sentence) override;
  void say(std::size_t drive, const std::string& line) override;
  void show() override;
  void clear() override;

 private:
  using Clock = std::chrono::steady_clock;

  bool draws() const;
  std::string json_of(std::size_t drive, const nlohmann::ordered_json& rest) const;
  void draw();

  ProgressKind kind_;
  std::vector<std::string> names_, labels_;
  std::map<std::size_t, jobs::Standing> under_way_{};
  std::size_t ended_ = 0, drawn_ = 0;  // drives, lines
  Clock::time_point told_;
};

}  // namespace platter::cli

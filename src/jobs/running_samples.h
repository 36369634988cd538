// The samples of a run while it goes: a file that a later run can go on with, wherever this one
// ends.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "extract/characterize.h"
#include "model/file.h"

namespace platter::jobs {

// Where they are, on the file system where they will be.
std::string running_samples(const std::string& samples);

class RunningSamples final : public extract::SamplesKeeper {
 public:
  explicit RunningSamples(std::string path) : path_(std::move(path)) {}

  bool due() override { return Clock::now() - kept_ > kEvery; }
  void keep(std::string_view lines) override;
  void synchronize() override;
  void throw_away() override;

  // nullptr: the run did not come to it.
  model::GrowingFile* file() { return file_ ? &*file_ : nullptr; }
  // Nothing of what was to be kept is missing.
  bool whole() const { return whole_; }
  // Of what was to be thrown away: why it is still there.
  const std::optional<std::string>& stays() const { return stays_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kEvery{5};  // chosen: half of what is promised

  std::string path_;
  std::optional<model::GrowingFile> file_;
  bool whole_ = false;
  std::optional<std::string> stays_{};
  Clock::time_point kept_ = Clock::now();
};

}  // namespace platter::jobs

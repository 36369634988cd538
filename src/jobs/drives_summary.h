// What became of each of several drives: a table for people, JSON for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "model/error.h"

namespace platter::jobs {

struct DriveOutcome {
  std::string name;  // as the drive was named
  std::optional<model::Identity> identity{};
  int status = 0;                            // its run's exit status, or 128 and a signal's number
  std::string sentence{};                    // why it is not 0
  double seconds = 0;                        // of the host's time
  bool done_before = false;                  // nothing was left to do
  std::optional<model::DriveModel> model{};  // that was written, or is there since before
  std::string model_file{};                  // of that
};

std::string outcomes_text(const std::vector<DriveOutcome>& outcomes);
std::string outcomes_json(const std::vector<DriveOutcome>& outcomes, const std::string& folder);

}  // namespace platter::jobs

// Several drives characterized by one call, each by a process of its own, into one folder.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/progress.h"

namespace platter::cli {

struct ManyRuns {
  std::vector<std::string> devices{}, not_in_use{};
  std::string folder{};
  bool resumes = false;               // what an earlier call left there is gone on with
  std::optional<std::size_t> jobs{};  // drives at once
  bool share_bus = false;             // also those that are on one bus
  bool json = false;
  ProgressKind progress = ProgressKind::fitting;
  std::vector<std::string> options{};  // of every run, as one types them
};

// Prints the summary. Throws Error where not all drives have a whole model.
void characterize_many(const ManyRuns& runs);

}  // namespace platter::cli

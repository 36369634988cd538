// A study's parts as a job array of Slurm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace platter::jobs {

struct SlurmStudy {
  std::string study{}, folder{}, name{};
  std::size_t parts = 1;
  unsigned jobs = 1;  // processes of a part, and its processors
  std::optional<std::uint64_t> most_requests{};
};

// A script for sh, which submits itself as an array, and behind it a job that collects and fails
// where points are missing. Paths are made absolute: nodes need not start where it was made.
std::string slurm_script(const SlurmStudy& study);

}  // namespace platter::jobs

#include "jobs/study_slurm.h"

#include <fmt/format.h>

#include <filesystem>

#include "model/folder.h"

namespace platter::jobs {
namespace {

// For sh, whatever is in it.
std::string in_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text)
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

std::string absolute(const std::string& path) {
  return std::filesystem::path(model::absolute_path(path)).lexically_normal().string();
}

// A name that squeue shows; no line of comments may end in it.
std::string job_name(const std::string& name) {
  std::string plain;
  for (const char letter : name) {
    const bool usual = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '-' || letter == '.';
    plain += usual ? letter : '_';
  }
  return plain;
}

}  // namespace

std::string slurm_script(const SlurmStudy& study) {
  std::error_code unknown;
  return fmt::format(
      R"(#!/bin/sh
#SBATCH --job-name={name}
#SBATCH --array=1-{parts}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={jobs}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output={name}-%A_%a.log
# Run this by sh: it submits itself as an array of {parts} parts, then a job that makes the table and
# names what is missing. Where points are missing, run it once more: what is there stays.
set -eu
platter={platter}
study={study}
folder={folder}
if [ -z "${{SLURM_ARRAY_TASK_ID:-}}" ]; then
  job=$(sbatch --parsable "$0" | cut -d ';' -f 1)
  export platter study folder
  sbatch --parsable --job-name={name}-table --dependency="afterany:$job" --requeue --open-mode=append \
    --output={name}-table.log --export=ALL --wrap 'exec "$platter" study collect "$study" -C "$folder"{more}'
  exit
fi
exec "$platter" study run "$study" -C "$folder" --part "$SLURM_ARRAY_TASK_ID/{parts}" --jobs {jobs} --progress none{more}
)",
      fmt::arg("name", job_name(study.name)), fmt::arg("parts", study.parts),
      fmt::arg("jobs", study.jobs),
      fmt::arg("more", study.most_requests
                           ? fmt::format(" --most-requests {}", *study.most_requests)
                           : std::string()),
      fmt::arg("platter", in_quotes(absolute(
                              std::filesystem::read_symlink("/proc/self/exe", unknown).string()))),
      fmt::arg("study", in_quotes(absolute(study.study))),
      fmt::arg("folder", in_quotes(absolute(study.folder))));
}

}  // namespace platter::jobs

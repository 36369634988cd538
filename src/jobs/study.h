// What `platter study` does: points computed, all or a part, tables and figures written, parts
// planned.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "jobs/outputs.h"
#include "jobs/progress.h"
#include "jobs/registry_folder.h"
#include "study/plan.h"

namespace platter::jobs {

struct StudyRun {
  std::string path;     // the study's file
  std::string program;  // platter's version, under which points are kept
  std::string folder;   // of the results; "": called as the study
  std::string part;     // I/N; "": all
  std::string plots;    // a folder for figures; "": none
  std::string output;   // a folder for a collected table; "": that of the results
  RegistryFolder registry;
  std::size_t parts = 1;
  std::optional<std::uint64_t> most_requests;
  double least_s = 60;
  unsigned jobs = 1;
  bool keep_results = false;
  bool json = false;  // an outcome is told also where points of a part failed
  Outputs outputs;

  // Where no folder is named: beside nothing of the user's, called as the study.
  std::string results() const {
    return folder.empty() ? std::filesystem::path(path).stem().string() + ".study" : folder;
  }
  std::string table(const char* ending) const {
    return (output.empty() ? results() : output) + "/table" + ending;
  }
};

struct StudyOutcome {
  std::string study;
  std::size_t points = 0;
  std::uint64_t computed = 0, failed = 0, found = 0;  // points: now, in vain, there before
  double replay_s = 0;
  std::optional<std::size_t> missing{};  // of a table; none: no table was made
  std::optional<std::string> table{};    // its path
  std::vector<std::string> figures{};    // their paths
};
using TellStudy = std::function<void(const StudyOutcome&)>;

// Each tells its outcome, then throws Error(incomplete, some_failed) for points that are missing or
// failed. Before that: what studies, tables and figures throw.
void run_study(const StudyRun& run, Progress& progress, const TellStudy& tell);
void collect_study(const StudyRun& run, const TellStudy& tell);

struct PlannedStudy {
  std::string study;
  std::size_t points = 0;
  std::vector<study::Part> parts;
};
// Parts of equal estimated cost, `parts` at most and each of `least_s` or more.
PlannedStudy plan_study(const StudyRun& run);
// The script that runs them by Slurm (jobs/study_slurm.h).
std::string slurm_study(const StudyRun& run);

// A study's parts as a job array of Slurm.
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

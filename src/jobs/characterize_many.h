// Several drives characterized by one call, each by a process of its own, into one folder.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "jobs/characterize.h"
#include "jobs/drives_summary.h"
#include "jobs/progress_text.h"

namespace platter::jobs {

// Whether these are one drive and the name of its model; else `output` is the folder of them all.
bool is_single(const std::vector<std::string>& devices, const std::string& output);
// Throws Error(usage) where a run of several cannot have this output, --samples or --resume.
void require_folder(const Characterization& call);

struct ManyRuns {
  std::vector<std::string> devices{}, not_in_use{};
  std::string folder{};
  bool resumes = false;                // what an earlier call left there is gone on with
  std::optional<std::size_t> jobs{};   // drives at once
  bool share_bus = false;              // also those that are on one bus
  std::vector<std::string> options{};  // of every run, as one types them
};

struct DriveOutcomes {
  std::vector<DriveOutcome> of_each{};  // in the order of the devices
  bool stopped = false;                 // by a signal
};

// Throws Error where the runs cannot begin.
DriveOutcomes characterize_many(const ManyRuns& runs, DrivesProgress& progress);
// Once the outcomes are told. Throws Error where not all drives have a whole model.
void require_all_done(const ManyRuns& runs, const DriveOutcomes& outcomes);

}  // namespace platter::jobs

// An interrupted run, from its samples: what of them the run goes on with, and whether it may. A
// stage that was not finished is measured anew, and all that come after it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "extract/findings.h"
#include "extract/record.h"
#include "extract/record_file.h"

namespace platter::extract {

struct TakenUp {
  Record record;    // up to its last whole stage
  Findings found;   // of that
  Session session;  // that goes on with it; its conditions are not known yet
};

// Throws Error(bad_input) where nothing can go on with it: `name` is the file's.
void require_unfinished(const KeptRecord& kept, const std::string& name);
TakenUp take_up(const KeptRecord& kept);

// The drive of the run, with the same firmware and format. Throws Error(refused).
void require_drive_of_run(const Record& before, const model::Identity& now,
                          const std::string& device, const std::string& name);
// What the run was told: its seed, where it may write. Permission to write is never taken from a
// file. Throws Error(usage).
void require_options_of_run(const Session& first, std::uint64_t seed,
                            const std::vector<LbnRange>& writable, const std::string& name);
// What it skipped until now, and what it is to skip besides. Throws Error(usage) where that is the
// block that the phases of what was measured refer to.
std::vector<LbnRange> skipped_by(const Record& before, const std::vector<LbnRange>& besides,
                                 const std::string& name);
// The drive's settings as they were when the run began. Throws Error(refused).
void require_settings_of_run(const Session& first, const safety::SavedSettings& now,
                             const std::string& device, const std::string& name);

}  // namespace platter::extract

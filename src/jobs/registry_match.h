// The models of a registry that fit an attached drive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/registry_folder.h"
#include "registry/match.h"

namespace platter::jobs {

struct MatchRun {
  RegistryFolder folder;
  std::uint64_t most = 5;
  bool this_drive = false;  // only models of this very drive
};
struct Matched {
  std::string who;  // vendor and product of the drive
  std::vector<registry::Match> matches;
};

// The best first. Asks the drive by INQUIRY, READ CAPACITY and what VPD page B1h or mode page 04h
// says of the speed.
Matched match_drive(const MatchRun& run, const std::string& device);
// Once that is told: says where no model is of this very drive. Throws Error(incomplete, bad_input)
// where there is none at all.
void require_match(const MatchRun& run, const std::string& device, const Matched& matched);

}  // namespace platter::jobs

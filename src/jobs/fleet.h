// Drives of one product side by side, or a drive against its own earlier versions.
#pragma once

#include <string>

#include "jobs/progress.h"
#include "jobs/registry_folder.h"

namespace platter::jobs {

struct FleetRun {
  RegistryFolder folder;  // also one of model files
  std::string drive;      // of the registry, against its earlier versions; "": all drives
  bool by_firmware = false, json = false;
};

// Prints what was found. Throws Error(differs) where something stands out, Error(some_failed) where
// models cannot be read, Error(bad_input) where there is nothing to compare.
void compare_fleet(const FleetRun& run, const Print& print);

}  // namespace platter::jobs

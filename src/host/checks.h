// What of this host disturbs times, looked at one by one: what is there, and what to do where that
// is not what it should be. Nothing is changed. `root` is prefixed to every path: "" for this
// machine, a folder in tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transport/host_clock.h"
#include "transport/host_drives.h"

namespace platter::host {

struct Check {
  std::string what;                        // "governor"
  std::string found;                       // "schedutil"
  std::optional<std::string> advice = {};  // a sentence with the command; there is none: as it
                                           // should be
};

// Of the host alone.
std::vector<Check> host_checks(const transport::HostFitness& fitness, const std::string& root = "");

// Of the way to a drive, and of who else is on it.
std::vector<Check> path_checks(const transport::HostDrive& drive, const std::string& root = "");

}  // namespace platter::host

// Whether somebody uses a drive of this machine.
#pragma once

#include <optional>
#include <string>

#include "transport/host_drives.h"

namespace platter::jobs {

struct DriveUse {
  const char* name;  // for programs: unknown, used, free
  std::optional<std::string> why{};
};
// `root`: of another tree than this host's, for tests.
DriveUse use_of(const transport::HostDrive& drive, const std::string& root);
std::string in_words(const DriveUse& use);

}  // namespace platter::jobs

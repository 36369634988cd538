// Several drives that a command line names: which ones they are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "model/error.h"
#include "transport/host_drives.h"
#include "transport/turns.h"

namespace platter::jobs {

struct NamedDrive {
  std::string name;  // as it was named
  transport::Place place{};
  std::optional<model::Identity> identity{};  // not there: `why_not`
  std::optional<Error> why_not{};             // it cannot be asked who it is
};

// Asks each once who it is, and lets go of it. Throws Error(usage) where a name is none of a
// device, and where two are names of one drive: by the kernel (/dev/sda and /dev/sg0, links, a
// model's file), or by what the drives say of themselves. `not_in_use`: as in open_device.h.
std::vector<NamedDrive> named_drives(const std::vector<std::string>& names,
                                     const std::vector<std::string>& not_in_use);

// Whether somebody uses a drive of this machine.
struct DriveUse {
  const char* name;  // for programs: unknown, used, free
  std::optional<std::string> why{};
};
// `root`: of another tree than this host's, for tests.
DriveUse use_of(const transport::HostDrive& drive, const std::string& root);
std::string in_words(const DriveUse& use);

}  // namespace platter::jobs

// LBN ranges on the command line: FIRST-LAST, several with commas between.
#pragma once

#include <string>
#include <vector>

#include "scsi/guard.h"

namespace platter::cli {

// Throws Error(usage) for what is no range.
std::vector<LbnRange> lbn_ranges(const std::vector<std::string>& texts);

}  // namespace platter::cli

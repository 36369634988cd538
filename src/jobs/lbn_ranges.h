// LBN ranges on the command line: FIRST-LAST, several with commas between.
#pragma once

#include <string>
#include <vector>

#include "scsi/guard.h"

namespace platter::jobs {

// Throws Error(usage) for what is no range.
std::vector<LbnRange> lbn_ranges(const std::vector<std::string>& texts);

// Of --allow-writes, which also says `all` for the whole drive of so many blocks.
std::vector<LbnRange> writable_ranges(const std::vector<std::string>& texts, std::uint64_t blocks);

}  // namespace platter::jobs

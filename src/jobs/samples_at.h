// A run's raw samples from their file.
#pragma once

#include <string>

#include "extract/record_file.h"

namespace platter::jobs {

// Throws Error(bad_input, permission).
extract::KeptRecord samples_at(const std::string& path);

}  // namespace platter::jobs

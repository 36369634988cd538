// What `platter --version` prints.
#pragma once

#include <string>

namespace platter::cli {

// The version with the commit, and the libraries with theirs: of shared ones those that run.
std::string version_text();

}  // namespace platter::cli

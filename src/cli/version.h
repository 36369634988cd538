// What `platter --version` and `platter --cite` print.
#pragma once

#include <string>

namespace platter::cli {

// The version with the commit, and the libraries with theirs: of shared ones those that run.
std::string version_text();

// BibTeX, and a line for a paper's text. The same facts as CITATION.cff.
std::string citation();

}  // namespace platter::cli

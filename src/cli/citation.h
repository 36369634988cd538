// How platter is cited.
#pragma once

#include <string>

namespace platter::cli {

// BibTeX, and a line for a paper's text. The same facts as CITATION.cff.
std::string citation();

}  // namespace platter::cli

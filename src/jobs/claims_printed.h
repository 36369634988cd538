// Which replies tell who a drive is, for docs/characterize.md.
#pragma once

#include <string>

namespace platter::jobs {

// A table in Markdown: the claim, who may make it, what is done where they disagree.
std::string claims_printed();

}  // namespace platter::jobs

// The table of docs/findings.md, from model/finding_kinds.h.
#pragma once

#include <string>

namespace platter::jobs {

std::string finding_table();

}  // namespace platter::jobs

// What platter says about what a drive answered, for docs/sense.md.
#pragma once

#include <string>

namespace platter::jobs {

// A table in Markdown: sense, what it is of, what to do. Rows of one advice are one line.
std::string advice_table();

}  // namespace platter::jobs

// What a table file holds, for people and for programs.
#pragma once

#include <string>

namespace platter::jobs {

// Throws Error(bad_input) for what is no sound table.
std::string table_in_words(const std::string& path, bool json);

}  // namespace platter::jobs

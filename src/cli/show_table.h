// What a table file holds, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emit/table/table.h"

namespace platter::cli {

// Throws Error(bad_input) for what is no sound table.
void show_table(const std::string& path, bool json);

// How far a table is from its model that says less than it; no lines: it says all.
std::vector<std::string> simplified_in_words(const emit_table::Table& table);
nlohmann::ordered_json simplified_json(const emit_table::Simplified& simplified);

}  // namespace platter::cli

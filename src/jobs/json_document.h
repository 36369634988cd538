// A document of platter's as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace platter::jobs {

// Of this schema, with a line feed behind it.
std::string json_document(const std::string& schema, const nlohmann::ordered_json& members);

}  // namespace platter::jobs

// JSON as the text that leaves: into files, to programs, onto a terminal. The library's own writer
// throws at bytes that are no UTF-8, and names of files and what drives say may hold any.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace platter::model {

enum class JsonForm {
  line,      // on one line
  ascii,     // the same, other letters as \u escapes
  indented,  // a member a line, by two columns a level
};

// Bytes that are no UTF-8 become U+FFFD each. No line feed at the end.
std::string json_text(const nlohmann::json& json, JsonForm form = JsonForm::line);
std::string json_text(const nlohmann::ordered_json& json, JsonForm form = JsonForm::line);

}  // namespace platter::model

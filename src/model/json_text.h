// JSON as the text that leaves: into files, to programs, onto a terminal. The library's own writer
// throws at bytes that are no UTF-8, and names of files and what drives say may hold any.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/formats.h"
#include "model/version.h"

namespace platter::model {

enum class JsonForm {
  line,      // on one line
  ascii,     // the same, other letters as \u escapes
  indented,  // a member a line, by two columns a level
};

// Bytes that are no UTF-8 become U+FFFD each. No line feed at the end.
std::string json_text(const nlohmann::json& json, JsonForm form = JsonForm::line);
std::string json_text(const nlohmann::ordered_json& json, JsonForm form = JsonForm::line);

// How every JSON of platter begins: its schema, by name and version, then the tool's version.
inline nlohmann::ordered_json schema_of(const std::string& format) {
  return {{"name", format}, {"version", text_of(version_of(format))}};
}

inline nlohmann::ordered_json json_head(const std::string& format) {
  return {{"schema", schema_of(format)}, {"platter", kToolVersion}};
}

// A document of this schema, with a line feed behind it.
std::string json_document(const std::string& schema, const nlohmann::ordered_json& members);

// JSON for people and line-wise tools: what fits on a line of 100 columns stands on one.
std::string pretty(const nlohmann::ordered_json& json);

}  // namespace platter::model

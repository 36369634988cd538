// How every JSON of platter begins: its schema, by name and version, then the tool's version.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/formats.h"
#include "model/version.h"

namespace platter::model {

inline nlohmann::ordered_json schema_of(const std::string& format) {
  return {{"name", format}, {"version", text_of(version_of(format))}};
}

inline nlohmann::ordered_json json_head(const std::string& format) {
  return {{"schema", schema_of(format)}, {"platter", kToolVersion}};
}

}  // namespace platter::model

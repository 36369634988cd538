// How every JSON of platter begins: its schema, by name and version, then the tool's version.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/version.h"

namespace platter::model {

inline nlohmann::ordered_json json_head(const std::string& schema,
                                        const std::string& version = "1.0") {
  return {{"schema", {{"name", schema}, {"version", version}}}, {"platter", kToolVersion}};
}

}  // namespace platter::model

// JSON for people and line-wise tools: what fits on a line of 100 columns stands on one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace platter::model {

std::string pretty(const nlohmann::ordered_json& json);

}  // namespace platter::model

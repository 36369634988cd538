// Ranges of blocks as JSON: [[first, last], ...].
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "model/lbn_range.h"

namespace platter {

inline nlohmann::ordered_json json_of(const std::vector<LbnRange>& ranges) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const LbnRange& range : ranges) list.push_back({range.first, range.last});
  return list;
}

}  // namespace platter

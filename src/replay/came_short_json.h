// The requests of a result that came short, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "replay/result.h"

namespace platter::replay {

inline nlohmann::ordered_json came_short_json(const CameShort& came_short) {
  nlohmann::ordered_json requests = nlohmann::ordered_json::array();
  for (const CameShort::Request& request : came_short.first)
    requests.push_back({{"number", request.number},
                        {"lbn", request.lbn},
                        {"blocks", request.blocks},
                        {"came_blocks", request.came_blocks}});
  return {{"count", came_short.count}, {"requests", std::move(requests)}};
}

// Throws the JSON library's exceptions.
inline CameShort came_short_of(const nlohmann::ordered_json& json) {
  CameShort came_short{json.at("count").get<std::uint64_t>(), {}};
  for (const auto& request : json.at("requests"))
    came_short.first.push_back({request.at("number").get<std::uint64_t>(),
                                request.at("lbn").get<std::uint64_t>(),
                                request.at("blocks").get<std::uint32_t>(),
                                request.at("came_blocks").get<std::uint32_t>()});
  return came_short;
}

}  // namespace platter::replay

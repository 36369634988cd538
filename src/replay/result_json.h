// What results, their summaries and studies' points have alike in JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "replay/host_queue_settings.h"
#include "replay/outside.h"
#include "replay/result.h"
#include "replay/summary.h"

namespace platter::replay {

inline nlohmann::ordered_json host_queue_json(const HostQueueUse& use) {
  return {{"settings", text_of(use.settings)},
          {"commands", use.commands},
          {"merged", use.merged},
          {"prefetches", use.prefetches},
          {"from_memory", use.from_memory}};
}

inline nlohmann::ordered_json outside_json(const Outside& by) {
  return {{"place", by.place},
          {"size", by.size},
          {"writes", by.writes},
          {"reads", by.reads},
          {"depth", by.depth}};
}

inline nlohmann::ordered_json array_json(const ArrayHead& array) {
  nlohmann::ordered_json json{{"level", array.level}, {"members", array.members}};
  if (array.chunk_bytes) json["chunk_bytes"] = array.chunk_bytes;
  if (!array.read_balance.empty()) json["read_balance"] = array.read_balance;
  if (array.stripe_cache) json["stripe_cache"] = array.stripe_cache;
  json["phase_seed"] = array.phase_seed;
  if (array.missing) json["missing"] = *array.missing;
  if (array.rebuild) json["rebuild"] = *array.rebuild;
  json["commands"] = array.commands;
  if (array.rebuild) json["rebuilt_blocks"] = array.rebuilt_blocks;
  return json;
}

inline nlohmann::ordered_json delay_json(const Delay& delay) {
  return {{"p50_ms", delay.p50_ms}, {"p99_ms", delay.p99_ms}, {"max_ms", delay.max_ms}};
}

inline nlohmann::ordered_json times_json(const ResponseTimes& times) {
  return {{"n", times.n},
          {"mean_ms", times.mean_ms},
          {"p50_ms", times.p50_ms},
          {"p90_ms", times.p90_ms},
          {"p95_ms", times.p95_ms},
          {"p99_ms", times.p99_ms},
          {"p999_ms", times.p999_ms},
          {"max_ms", times.max_ms}};
}

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

// How results and summaries tell of an array.
#pragma once

#include <nlohmann/json.hpp>

#include "replay/result.h"

namespace platter::replay {

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

}  // namespace platter::replay

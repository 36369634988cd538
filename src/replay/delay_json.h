// Delays in the JSON of results and of summaries.
#pragma once

#include <nlohmann/json.hpp>

#include "replay/result.h"

namespace platter::replay {

inline nlohmann::ordered_json delay_json(const Delay& delay) {
  return {{"p50_ms", delay.p50_ms}, {"p99_ms", delay.p99_ms}, {"max_ms", delay.max_ms}};
}

}  // namespace platter::replay

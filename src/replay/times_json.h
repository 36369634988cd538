// Times in the JSON of results, of summaries and of studies' points.
#pragma once

#include <nlohmann/json.hpp>

#include "replay/result.h"
#include "replay/summary.h"

namespace platter::replay {

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

}  // namespace platter::replay

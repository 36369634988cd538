// Which requests of a result were served without waiting for the media.
#pragma once

#include <optional>

#include "replay/result.h"

namespace platter::replay {

// The model tells. A drive does not: its hit is judged by the response time, at most a quarter of a
// revolution (Schindler & Ganger 1999, section 4.3).
inline double default_hit_threshold_ns(double period_ns) { return period_ns / 4; }

// nullopt: neither the result nor a threshold tells.
inline std::optional<bool> is_hit(const Response& response, std::optional<double> threshold_ns) {
  if (response.media) return !*response.media;
  if (!threshold_ns) return std::nullopt;
  return static_cast<double>(response.response_ns) <= *threshold_ns;
}

// Both went to the media, as far as one can tell.
inline bool both_from_media(const Response& drive, const Response& model,
                            std::optional<double> threshold_ns) {
  return is_hit(drive, threshold_ns) == false && is_hit(model, threshold_ns) == false;
}

}  // namespace platter::replay

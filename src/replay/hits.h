// Which requests of a result were served without waiting for the media.
#pragma once

#include <optional>

#include "replay/result.h"

namespace platter::replay {

// The model tells. A drive does not: its hit is judged by the response time, at most a quarter of a
// revolution (Schindler & Ganger 1999, section 4.3) once the time that the data take over the bus
// is taken off, for the paper's tests read single blocks.
struct HitRule {
  std::optional<double> threshold_ns;  // nullopt: there is no telling
  double block_transfer_ns = 0;

  static HitRule of_period(double period_ns, double block_transfer_ns = 0) {
    return {period_ns / 4, block_transfer_ns};
  }

  std::optional<bool> is_hit(const Response& response) const {
    if (response.media) return !*response.media;
    return is_hit_by_time(response);
  }
  std::optional<bool> is_hit_by_time(const Response& response) const {
    if (!threshold_ns) return std::nullopt;
    return static_cast<double>(response.response_ns) - response.blocks * block_transfer_ns <=
           *threshold_ns;
  }
  // Both went to the media, as far as one can tell.
  bool both_from_media(const Response& drive, const Response& model) const {
    return is_hit(drive) == false && is_hit(model) == false;
  }
};

}  // namespace platter::replay

// The member "outside" of results and of their summaries.
#pragma once

#include <nlohmann/json.hpp>

#include "replay/outside.h"

namespace platter::replay {

inline nlohmann::ordered_json outside_json(const Outside& by) {
  return {{"place", by.place},
          {"size", by.size},
          {"writes", by.writes},
          {"reads", by.reads},
          {"depth", by.depth}};
}

}  // namespace platter::replay

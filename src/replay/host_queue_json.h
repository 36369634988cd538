// A host's queue in JSON, in results and summaries alike.
#pragma once

#include <nlohmann/json.hpp>

#include "replay/host_queue_settings.h"

namespace platter::replay {

inline nlohmann::ordered_json host_queue_json(const HostQueueUse& use) {
  return {{"settings", text_of(use.settings)},
          {"commands", use.commands},
          {"merged", use.merged},
          {"prefetches", use.prefetches},
          {"from_memory", use.from_memory}};
}

}  // namespace platter::replay

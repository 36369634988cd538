// Whether the windows that the host's queue read ahead were of any use.
#pragma once

#include <string>

#include "replay/host_queue_settings.h"

namespace platter::replay {

// A sentence where windows were asked for and no read was answered by any; else empty.
std::string why_prefetching_did_nothing(const HostQueueUse& use);

}  // namespace platter::replay

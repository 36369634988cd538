// Sequential reads of which each was sent as soon as the one before was complete.
#pragma once

#include <vector>

#include "cache_probe/record.h"

namespace platter::cache_probe {

// The runs of them, each from its first read on, which is a miss.
std::vector<std::vector<const Observation*>> reads_without_pause(const Record& record);

}  // namespace platter::cache_probe

// How a drive's caches are to stand in a stage of a run.
#pragma once

#include <cstdint>

namespace platter::extract {

enum class Caches : std::uint8_t { any, off, as_found };

}  // namespace platter::extract

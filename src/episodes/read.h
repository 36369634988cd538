// A file of episodes, as people write it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "episodes/schedule.h"

namespace platter::episodes {

// Each request is held against all of them.
inline constexpr std::size_t kMostEpisodes = 1000;

// Throws Error(bad_input), a sentence that begins with `origin`: what is no file of episodes, has a
// member that nobody knows, or a number out of its range.
Schedule read_schedule(std::string_view text, const std::string& origin);

}  // namespace platter::episodes

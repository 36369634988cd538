// Shares in words: no share without what it may be by chance.
#pragma once

#include <cstddef>
#include <string>

namespace platter::replay {

// "99.6 % (97.8 to 99.9)"; the interval is that of 95 % (statistics/share.h).
std::string share_text(double share, std::size_t trials);

}  // namespace platter::replay

// Shares in words: no share without what it may be by chance.
#pragma once

#include <cstddef>
#include <string>

#include "model/drive_model.h"

namespace platter::replay {

// "99.6 % (97.8 to 99.9)"; the interval is that of 95 % (statistics/share.h).
std::string share_text(double share, std::size_t trials);
// Of the accesses that kept their phase; "" where it does not say of how many.
std::string phase_text(const model::Demerit& demerit);

}  // namespace platter::replay

#include "layout/attempts.h"

namespace platter::layout {

Outcome Attempts::count(std::uint64_t lbn) {
  constexpr int kMostAttempts = 24;
  constexpr std::uint64_t kMostRepairs = 500;
  if (++of_block_[lbn] > kMostAttempts || ++repairs_ > kMostRepairs + survey_.translations())
    return give_up(survey_, lbn);
  return Outcome::yes;
}

}  // namespace platter::layout

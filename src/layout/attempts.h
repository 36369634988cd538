// How often repairs began at a block: one that asks nothing new repeats itself, and is given up.
#pragma once

#include <cstdint>
#include <map>

#include "layout/outcome.h"
#include "layout/survey.h"

namespace platter::layout {

class Attempts {
 public:
  explicit Attempts(Survey& survey) : survey_(survey) {}

  // One more at a block.
  Outcome count(std::uint64_t lbn);
  void forget() { of_block_.clear(); }
  void begin() {
    forget();
    repairs_ = 0;
  }

 private:
  Survey& survey_;
  std::map<std::uint64_t, int> of_block_;
  std::uint64_t repairs_ = 0;
};

}  // namespace platter::layout

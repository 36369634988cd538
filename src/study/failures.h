// Why points failed: each reason once, however many points it took.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "study/points.h"
#include "study/store.h"

namespace platter::study {

struct Reason {
  std::string sentence{};
  std::size_t first = 0;   // of the points that failed so, by its index
  std::size_t points = 0;  // how many did
};

struct Failures {
  std::size_t points = 0;
  std::vector<Reason> reasons{};  // the most frequent first
};

// Of these points, by index.
Failures failures_of(const Points& points, const Store& store, std::span<const std::size_t> which);

}  // namespace platter::study

// A trace faster or slower than it was, or only its beginning.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "trace/stream.h"

namespace platter::replay {

struct Shape {
  double speed = 1;                      // arrival and think times are divided by it; above 0
  std::optional<std::uint64_t> limit{};  // so many requests at most
};

std::unique_ptr<trace::Reader> shaped(std::unique_ptr<trace::Reader> trace, const Shape& shape);

}  // namespace platter::replay

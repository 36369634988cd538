// What a user says of an array of models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "array/replay_array.h"

namespace platter::jobs {

struct ArrayOptions {
  std::string level, balance = "nearest";  // level: "" for a single drive
  std::uint64_t stripe_kib = 512, window_kib = 128, least_kib_per_s = 1000, most_kib_per_s = 200000,
                phase_seed = 1, merge_kib = 512;
  double tick_ms = 4;
  std::uint32_t stripes = 256, device_queue = 0;
  std::optional<std::uint32_t> missing{}, rebuild{};

  bool wanted() const { return !level.empty(); }
  array::ArrayPlan plan() const;
};

}  // namespace platter::jobs

// After how many requests a drive whose segments follow the load divides its buffer anew, from the
// requests at which it was seen to. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "cache_probe/record.h"
#include "model/drive_model.h"

namespace platter::cache_probe {

inline constexpr std::int64_t kLeastWindow = model::kLeastWindowRequests,
                              kMostWindow = model::kMostWindowRequests;

// The load changed with read number `from`, from one stream to reads all over; the buffer was
// divided anew before read number `divided` (0: not before `until`, the last one).
struct LoadChange {
  std::int64_t from = 0, divided = 0, until = 0;
};
std::vector<LoadChange> load_changes(const Record& record);

// What explains at which requests the buffer is divided.
struct Division {
  enum class Trigger {
    none,       // it was not seen to be
    window,     // after every `requests` requests; `phase`, modulo those: the first behind
    in_a_row,   // `requests` requests after the load has changed, whatever was before
    irregular,  // after no number of requests
  } trigger = Trigger::none;
  std::int64_t requests = 0, phase = 0;
  double share = 0;  // probability
};
// Where the load changes with read number `from`: how alike what the two foretell is, 0 to 1 (the
// Bhattacharyya coefficient).
double alike(const Division& a, const Division& b, std::int64_t from);

struct Divisions {
  std::vector<Division> likely;  // the likeliest first
  std::uint64_t changes = 0;     // of load, behind which the buffer was divided

  Division likeliest() const { return likely.empty() ? Division{} : likely.front(); }
  bool proven() const;
};
Divisions divisions_of(const std::vector<LoadChange>& changes);

// Behind so many reads of one kind the buffer is divided for them.
std::int64_t reads_to_divide(const Record& record);

}  // namespace platter::cache_probe

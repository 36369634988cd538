#include "array/barriers.h"

#include <utility>

namespace platter::array {

bool Barriers::begin_request(std::uint64_t lbn, bool write) {
  const std::uint64_t number = region_of(lbn);
  Region& region = regions_[number];
  if (write && (region.copies > 0 || claimed_ == number)) return false;
  ++region.requests;
  return true;
}

Barriers::Copy Barriers::begin_copy(std::uint64_t lbn) {
  const std::uint64_t number = region_of(lbn);
  Region& region = regions_[number];
  if (claimed_ != number && region.held > 0)
    return std::exchange(gave_way_, true) ? Copy::waits : Copy::gives_way_for_a_tick;
  claimed_ = number;
  if (region.requests > 0 || region.copies == kMostCopies) return Copy::waits;
  claimed_.reset();
  gave_way_ = false;
  ++region.copies;
  return Copy::begins;
}

}  // namespace platter::array

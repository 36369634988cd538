// Counts the requests of a replay that lie beyond what the model was measured with.
#pragma once

#include <cstdint>

#include "engine/flat_tables.h"
#include "replay/outside.h"

namespace platter::replay {

class OutsideCount {
 public:
  // `depth_counts`: false where the requests come when a drive had them, whose own depth the model
  // was checked for: a request that ends later on the model than on the drive overlaps with the
  // next by that alone.
  OutsideCount(const engine::ValidityTable& validity, bool depth_counts)
      : validity_(validity), depth_counts_(depth_counts) {}

  // `beside`: how many others are outstanding.
  void add(std::uint64_t lbn, std::uint32_t blocks, bool write, std::uint64_t beside);
  void begin_anew() { all_ = 0, by_ = {}; }

  std::uint64_t all() const { return all_; }
  const Outside& by() const { return by_; }

 private:
  engine::ValidityTable validity_;
  bool depth_counts_;
  std::uint64_t all_ = 0;
  Outside by_;
};

}  // namespace platter::replay

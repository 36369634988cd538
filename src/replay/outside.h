// Requests of a trace beyond what the model was measured with: how many, and by what.
#pragma once

#include <cstdint>
#include <string>

#include "engine/flat_tables.h"

namespace platter::replay {

// A request counts under each reason that it has.
struct Outside {
  std::uint64_t place = 0;   // blocks outside of those checked
  std::uint64_t size = 0;    // fewer or more blocks
  std::uint64_t writes = 0;  // none was checked
  std::uint64_t reads = 0;   // none was checked
  std::uint64_t depth = 0;   // more outstanding at its issue

  bool operator==(const Outside&) const = default;
};

// "12 requests of 40 lie outside what the model measured: 12 writes (...)"; "" where all = 0.
// `requests`: of the trace.
std::string outside_text(std::uint64_t all, const Outside& by, std::uint64_t requests);

// Counts the requests of a replay that lie beyond what the model was measured with.
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

// The LBN ranges within which a workload stays: where requests fit, and the ranges cut into pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/lbn_range.h"
#include "trace/draws.h"

namespace platter::trace {

class Ranges {
 public:
  Ranges() = default;
  explicit Ranges(std::vector<LbnRange> ranges) : ranges_(std::move(ranges)) {}

  std::uint64_t blocks() const;
  // Does one of the ranges hold all of it?
  bool holds(std::uint64_t lbn, std::uint64_t blocks) const;
  // The first LBNs, multiples of `align`, at which so many blocks fit into one range.
  std::uint64_t places(std::uint64_t blocks, std::uint64_t align) const;
  // One of those places, all as likely. There must be one.
  std::uint64_t draw(Draws& draws, std::uint64_t blocks, std::uint64_t align) const;
  // Where a stream goes on: `lbn` where so many blocks fit there, else the first place in the next
  // range that has one, in the order listed and from the first one again (where it begins, too:
  // nullopt). There must be one.
  std::uint64_t next_place(std::optional<std::uint64_t> lbn, std::uint64_t blocks,
                           std::uint64_t align) const;
  // The blocks from share `begin` to share `end` of them all, counted in the order of the ranges.
  Ranges piece(Share begin, Share end) const;

  const std::vector<LbnRange>& list() const { return ranges_; }

 private:
  std::vector<LbnRange> ranges_;
};

}  // namespace platter::trace

// Where the next request of a workload goes, within the ranges that it may use.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/lbn_range.h"
#include "trace/draws.h"
#include "trace/profiles.h"

namespace platter::trace {

// The LBN ranges within which a workload stays: where requests fit, and the ranges cut into pieces.
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

class Placer {
 public:
  // Throws Error(usage) where the ranges, or one of the pieces into which the profile cuts them,
  // have no place for a request of `largest` blocks. `stride`: of streams, in blocks.
  Placer(const Profile& profile, Ranges ranges, std::uint64_t align, std::uint64_t largest,
         std::uint64_t stride);

  // `before`: the request before, of whatever kind; none at first.
  std::uint64_t place(Draws& draws, const std::optional<LbnRange>& before, std::uint64_t blocks);

 private:
  struct Stream {
    Ranges region;
    std::optional<std::uint64_t> next{};  // none: it has not begun
    std::uint64_t requests = 0;
  };

  void prepare(const Nearby& nearby);
  void prepare(const Streams& streams);
  void prepare(const HotSpot& spot);
  void prepare(const OnTracks&) {}
  std::uint64_t next(const Nearby& nearby, Draws& draws, const std::optional<LbnRange>& before,
                     std::uint64_t blocks);
  std::uint64_t next(const Streams& streams, Draws& draws, std::uint64_t blocks);
  std::uint64_t next(const HotSpot& spot, Draws& draws, std::uint64_t blocks);
  void require_room(const Ranges& ranges, const std::string& what) const;

  Placement place_;
  Ranges ranges_;
  std::uint64_t align_, largest_, stride_;
  std::vector<Stream> streams_{};
  std::size_t turn_ = 0;
  Ranges hot_{}, rest_{};
};

}  // namespace platter::trace

// Where the next request of a workload goes, within the ranges that it may use.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/profiles.h"
#include "trace/ranges.h"

namespace platter::trace {

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

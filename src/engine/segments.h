// The buffer as segments: which of them holds a block, which one a new request takes. Least
// recently used first, as in DiskSim 4.0's cache (its manual, "Disk block caches").
#pragma once

#include <optional>

#include "engine/state.h"

namespace platter::engine {

class Segments {
 public:
  Segments(const CacheTable& table, State& state)
      : table_(table), state_(state), segments_(state.segments()) {}

  const Segment& operator[](std::uint32_t segment) const { return segments_[segment]; }
  // The segment to be changed: its present contents go into the record by which the request that
  // is being served can be taken back.
  Segment& edit(std::uint32_t segment);

  enum class Match { none, partial, whole };
  struct Found {
    Match match = Match::none;
    std::uint32_t segment = 0;
  };
  // The segment that holds the first block of a read, the fullest match first. `reading`: the
  // segment that is being filled, whose end block counts as a match if almost_read_hits.
  Found find_read(const Request& request, std::optional<std::uint32_t> reading) const;
  // Whether any written segment that is not on the media yet holds a block of the request.
  bool overlaps(std::uint32_t segment, const Request& request) const;

  // A segment for new read data: an empty one, else the least recently used.
  std::uint32_t take_for_read();
  // A segment for new written data; clean segments that overlap the request lose their contents.
  std::uint32_t take_for_write(const Request& request);
  void touch(std::uint32_t segment);
  void drop_all();

  // Extends the segment to `end`; what no longer fits falls out at its beginning.
  void grow(std::uint32_t segment, std::uint64_t end);

 private:
  std::uint32_t first_for_reads() const;
  std::uint32_t segments_for_writes() const;
  std::uint32_t oldest(std::uint32_t first, std::uint32_t last) const;

  const CacheTable& table_;
  State& state_;
  std::span<Segment> segments_;
};

}  // namespace platter::engine

// Where the requests of a trace lie: runs and streams, alignment, and how much of the drive they
// touch. Each takes one request after another, in bounded memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>

namespace platter::trace {

// A run is a row of requests that each begin where the one before ended. A stream is a run through
// which other requests may come: a request continues a stream that ended at its first block and is
// one of the last kRemembered that got a request.
class Sequentiality {
 public:
  static constexpr std::size_t kRemembered = 64;

  void add(std::uint64_t lbn, std::uint32_t blocks);
  // The streams that are still open count from here on.
  void finish();

  std::uint64_t runs() const { return runs_; }
  std::uint64_t longest_run_requests() const { return longest_run_requests_; }
  std::uint64_t longest_run_blocks() const { return longest_run_blocks_; }

  // Requests that continue one of the last so many streams.
  std::uint64_t continuing(std::size_t streams) const;
  // As many streams as have to be remembered for `share` of all that continue one of kRemembered.
  std::size_t streams_for(double share) const;

  std::uint64_t streams() const { return streams_; }  // of two requests or more
  std::uint64_t requests_in_streams() const { return requests_in_streams_; }
  std::uint64_t longest_stream_requests() const { return longest_stream_requests_; }

 private:
  struct Stream {
    std::uint64_t next = 0, requests = 0;
  };

  void end(const Stream& stream);

  std::array<Stream, kRemembered> recent_{};  // the one that got a request last stands first
  std::size_t known_ = 0;
  std::array<std::uint64_t, kRemembered> continued_at_{};  // by the place in recent_
  std::uint64_t run_requests_ = 0, run_blocks_ = 0;
  std::uint64_t runs_ = 0, longest_run_requests_ = 0, longest_run_blocks_ = 0;
  std::uint64_t streams_ = 0, requests_in_streams_ = 0, longest_stream_requests_ = 0;
};

class Alignment {
 public:
  void add(std::uint64_t lbn, std::uint32_t blocks);

  // Requests whose first block, and whose first block and length, are multiples of 2^power blocks.
  std::uint64_t begins(int power) const { return at_least(begins_, power); }
  std::uint64_t begins_and_ends(int power) const { return at_least(wholes_, power); }

 private:
  using Powers = std::array<std::uint64_t, 65>;
  static std::uint64_t at_least(const Powers& powers, int power);

  Powers begins_{}, wholes_{};
};

// The regions of `region_blocks` blocks that requests touch. Beyond 2^30 or so regions (1 PiB of
// regions of 1 MiB) in widely scattered places the count stops and is a lower bound.
class Footprint {
 public:
  explicit Footprint(std::uint64_t region_blocks) : region_blocks_(region_blocks) {}

  // Tells whether an earlier request had touched every region of this one.
  bool add(std::uint64_t lbn, std::uint32_t blocks);

  std::uint64_t region_blocks() const { return region_blocks_; }
  std::uint64_t regions() const { return regions_; }
  bool exact() const { return exact_; }

 private:
  static constexpr std::uint64_t kRegions = 4096;      // of a chunk
  static constexpr std::size_t kMostChunks = 1 << 17;  // 64 MiB
  struct Chunk {
    std::array<std::uint64_t, kRegions / 64> words{};  // a bit for each region
    std::uint64_t regions = 0;                         // that are touched
  };

  // Regions of one chunk; false: they are not counted.
  bool touch(std::uint64_t chunk, std::uint64_t first, std::uint64_t last);
  void is_whole(std::uint64_t chunk);

  std::uint64_t region_blocks_;
  std::unordered_map<std::uint64_t, Chunk> chunks_{};
  // Of which every region is touched: the first and the one behind the last. Requests of a terabyte
  // do not look at each.
  std::map<std::uint64_t, std::uint64_t> whole_{};
  std::uint64_t regions_ = 0;
  bool exact_ = true;
};

}  // namespace platter::trace

// Where writes may be tested, and when the drive has written all that it was given. Tests rewrite
// sectors with what these hold, and only where that is allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cache_probe/prober.h"

namespace platter::cache_probe {

// Chosen: places enough that none is written twice soon; a rest longer than any destage of the
// catalogue's drives, for written data to reach the media where nothing tells.
inline constexpr std::size_t kUsualTargets = 12;
inline constexpr double kDestage_rev = 10;
// So many writes a segment leave a block in 2 % of all cases, where any is replaced: (1 - 1/n)^(4
// n).
inline constexpr double kTimesOver = 4;

// Places for single writes: a few blocks on a cylinder of their own each, their contents known.
// They begin with a physical block, and hold two at least.
class Targets {
 public:
  Targets(Prober& prober, const std::vector<LbnRange>& writable);

  bool any() const { return !lbns_.empty(); }
  // One after another; each is used again only after all the others.
  std::uint64_t next() { return lbns_[turn_++ % lbns_.size()]; }
  // So many different ones; fewer where there is no more room.
  std::vector<std::uint64_t> distinct(std::size_t count);
  const std::vector<std::uint64_t>& all() const { return lbns_; }
  std::uint32_t blocks() const;  // of each
  // A place for `blocks` in a row, contents known; nullopt: there is none.
  std::optional<std::uint64_t> run_of(std::uint32_t blocks);
  // The same, where it matters to no other whether it lies near: where there is no other.
  std::optional<std::uint64_t> run_anywhere(std::uint32_t blocks);

 private:
  enum class Lies : std::uint8_t { apart, anywhere };
  std::optional<std::uint64_t> place(std::uint32_t blocks, Lies lies);
  bool is_for_timing(std::uint64_t lbn, std::uint32_t blocks) const;
  std::uint64_t random_lbn();
  std::uint64_t aligned(std::uint64_t lbn) const;

  Prober& prober_;
  const std::vector<LbnRange>& writable_;
  std::vector<std::uint64_t> lbns_;
  std::uint64_t last_ = 0;
  std::size_t turn_ = 0;
};

bool writes_cached(const Record& record);
// SYNCHRONIZE CACHE, as a probe of x; false: the drive does not know it.
bool synchronize(Prober& prober, std::optional<std::pair<Question, std::int64_t>> as = {},
                 std::uint64_t lbn = 0);
// Rests until nothing waits for the media, of a few blocks each or so many large writes.
void settle(Prober& prober, std::size_t large = 0);
// A track that may be written, with another in front of it, less what of its ends is no whole
// physical block; nullopt: none was found.
std::optional<Place> track_to_write(Prober& prober, const std::vector<LbnRange>& writable);
// The arm comes from near by, so that its way takes the same time each time, and the track's first
// block is so far ahead of the heads.
void come_to(Prober& prober, const Place& track, double ahead_rev);

}  // namespace platter::cache_probe

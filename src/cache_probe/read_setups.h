// What the tests of reads are made of: requests at places of their own, and how long to wait for
// what is read ahead of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cache_probe/facts.h"
#include "cache_probe/prober.h"

namespace platter::cache_probe {

inline constexpr std::int64_t kAlignment = 64;  // blocks; a multiple of what drives round to
inline constexpr double kSettle_rev = 1.5;      // for read-ahead to begin

// A place whose next blocks are free, too; where no cylinder begins any place will do.
std::optional<Place> place_for(Prober& prober, Kind kind, std::int64_t blocks);
// The same, out of the cache even where the place was used before.
std::optional<Place> clean_place_for(Prober& prober, Kind kind, std::int64_t blocks);
// Until the arm follows the next command at once, whatever was read before.
double until_free_rev(const Prober& prober);
// So many, or a track's where what the order of access saves of a request of so many is too short
// to show beside how the drive uses the bus.
std::uint32_t blocks_that_tell(Prober& prober, std::uint32_t blocks);
// Time that reading on for so many blocks takes.
double reading_rev(const Prober& prober, std::int64_t blocks);
// For a request of so many blocks that ends where boundaries end read-ahead, if they do: nothing is
// read behind it, or up to one of the next two ends of tracks, which the setup has as its ends.
// Else it ends before a multiple of kAlignment.
struct LargeRequest {
  std::uint64_t lbn = 0;
  Setup setup;
};
std::optional<LargeRequest> place_for_large(Prober& prober, std::int64_t blocks,
                                            std::int64_t ahead);
// Reads on distinct cylinders, in order; empty: no room.
std::vector<std::uint64_t> read_scattered(Prober& prober, std::int64_t count, std::uint32_t blocks,
                                          double rest_rev);

// The most blocks of a segment or of read-ahead that are tried.
std::int64_t most_blocks(Prober& prober);
// Of one request that shall overflow the largest of these.
std::int64_t most_requested(Prober& prober);
// The first LBN of a place from which a request of so many blocks ends before a multiple of
// kAlignment: drives that read ahead to such multiples then do the same each time.
std::uint64_t aligned_start(const Place& place, std::int64_t blocks);
// The setup as the record keeps it: where the request ended.
Setup setup_of(const Place& place, std::uint64_t lbn, std::uint32_t blocks);

// What the mode page lets expect; it may be wrong.
template <typename Field>
std::vector<std::int64_t> expected(const Prober& prober, Field scsi::CachePage::*field) {
  const auto& page = prober.record().setting.page;
  const std::int64_t value = page ? page.value().*field : 0;
  return value > 0 && value < 0xFFFF ? std::vector{value, value - 1} : std::vector<std::int64_t>{};
}

// Read-ahead ends with a physical block, up to so many blocks before or behind where it was seen
// to.
std::int64_t rounding(const Prober& prober);
// What cannot have come from the media.
bool is_quick(const Prober& prober, const scsi::Completion& done);
// Blocks of a read that carries on from a read of one block, and does not lie in the same physical
// block, which is in the buffer by then.
std::uint32_t carried_on_by(const Prober& prober);
// So that read-ahead begins behind the request, even where only a read that carries on does that.
void request(Prober& prober, std::uint64_t lbn, std::uint32_t blocks);

// Reads `blocks` from `offset` of a fresh track, for probes x blocks past them.
struct Past {
  Kind kind = Kind::any;
  std::uint32_t offset = 0, blocks = 1;
  bool aligned = false;
};
Prober::Prepare past(Prober& prober, const Past& what);
// A hypothesis without an x of its own: the block so far behind a request is in the cache.
Verdict decide_past(Prober& prober, Question question, std::int64_t key, std::int64_t blocks_past,
                    const Past& what);

// Samples with the first block of a request so far ahead of the heads when it is issued.
void sample_arrival(Prober& prober, Question question, std::uint32_t blocks,
                    const std::function<bool(double ahead_rev)>& sample, int samples = 12);

}  // namespace platter::cache_probe

// What follows directly from the probes made so far: the steps between raw verdicts and parameters
// that tests and estimates share. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "cache_probe/arrival_fit.h"
#include "cache_probe/edge.h"

namespace platter::cache_probe {

constexpr std::uint64_t kNoiseOneOf = 5;  // one of so many probes may be noise

bool retained(const Record& record);          // a block stays after it was sent
bool reads_ahead(const Record& record);       // the next block comes along
bool after_sequential(const Record& record);  // but only behind a read that carries on from another
bool sequential_tracks(const Record& record);  // a track is read ahead behind reads of two in
                                               // sequence
inline bool caches_reads(const Record& record) { return retained(record) || reads_ahead(record); }

// The end behind the requests with which hits end, tracks being of several lengths; nullptr: with
// neither.
using End = std::int64_t Observation::*;
End end_of(const Record& record, Question question);

// The end of a track or of a cylinder ends read-ahead.
bool ends_at_boundary(const Record& record);

// As many blocks, and no more, are read ahead from places all over, where no map tells ends that
// might bound it.
bool goes_as_far_from_anywhere(const Record& record);

// How far what was read ahead is found; nullopt: nothing is, or its beginning is pushed out again.
std::optional<Edge> reach_edge(const Record& record);
// The same where requests end as read-ahead is told to have it farthest.
std::optional<Edge> read_ahead_end(const Record& record);
// Blocks read ahead behind a one-block request at the beginning of a cylinder; 0: none.
std::int64_t reach_blocks(const Record& record);
// Blocks that a segment holds. `bound`: the tests found no larger request that overflows it.
struct SegmentSize {
  double blocks = 0, error = 0;
  std::uint64_t samples = 0;
  enum class Source { held_range, largest_kept } source = Source::held_range;
  bool bound = false;
  bool only_ahead = false;  // requested blocks are dropped: only what read-ahead fills was seen
};
std::optional<SegmentSize> segment_size(const Record& record);

// Blocks before a request were in the cache, which nothing else brings there: also where the arm
// comes just behind them now and then.
bool found_free_blocks(const Record& record);

// Where read-ahead ends behind requests that end at a boundary: with one of the next two tracks;
// nullptr: with neither.
End end_behind(const Record& record);
// Blocks read ahead behind a request that overflows a segment; the ends are those of
// Question::held_upper.
std::int64_t read_behind(const Record& record, std::int64_t to_track_end,
                         std::int64_t to_cylinder_end);

// Blocks that pass under the heads before a drive that obeys the next command at once breaks off:
// as many as fit into the time of a host and of a drive that decodes it.
std::int64_t at_once_blocks(const Record& record);
// Blocks that are read ahead before the next command is obeyed; nullopt: never tried, or as many
// pass under the heads until then.
struct CutShort {
  std::int64_t least_blocks = 0;
  bool all = false;  // as many as ever
  double error = 0;
  std::uint64_t samples = 0;
};
std::optional<CutShort> cut_short(const Record& record);

// Reads on distinct cylinders that the cache keeps apart.
struct SegmentCount {
  double count = 0, error = 0;
  std::uint64_t samples = 0;
  bool bound = false;    // all that were tried were kept
  bool mixed = false;    // hits and misses at the same number
  bool random = false;   // the pattern of random replacement
  bool settled = false;  // from blocks read ahead
};
std::optional<SegmentCount> segment_count(const Record& record);

// Read-ahead pushes a block that was asked for out again, where nothing breaks it off.
bool newest_is_pushed_out(const Record& record);
// So far behind a request as read-ahead gets early and does not push out again.
std::int64_t block_ahead_that_tells(const Record& record);

// A request that is larger than a segment is held behind a sequential stream.
bool adapts(const Record& record);

// Time on the bus per block, in revolutions, from hits of two sizes; nullopt where none were large.
std::optional<double> bus_rev_per_block(const Record& record);

std::vector<ArrivalSample> arrival_samples(const Record& record, Question question);
ArrivalFit fit_arrival(const Record& record, Question question);
// Whether so many blocks of a track take as long on the bus as on the media, or longer.
bool bus_hides_arrival(const Record& record, std::uint32_t blocks);

// Median of SYNCHRONIZE CACHE with nothing to write, ns; nullopt: never sent.
std::optional<double> synchronize_ns(const Record& record);
// Whether a SYNCHRONIZE CACHE had to wait for the media.
bool synchronize_waited(const Record& record, const Observation& seen);
// It returns at once although data wait.
bool synchronize_lies(const Record& record);
// And FUA shows that they do: it is no non-volatile cache.
bool synchronize_does_nothing(const Record& record);
// Blocks of the smallest writes (mtbrc::Context::write_unit()); 1 where there are none.
std::uint32_t write_unit(const Record& record);
double usual_write_ns(const Record& record);  // of one of the smallest, that does not wait
// A write of so many blocks that takes longer had to wait for others to reach the media.
double longest_write_ns(const Record& record, std::uint32_t blocks);
// That one had to wait, for the media or for others.
bool write_waited(const Record& record, const Observation& seen);
// Hit: neither FUA nor SYNCHRONIZE CACHE waits for the media; miss: one of them does.
Verdict written_persist(const Record& record);

// How many writes without pause are taken before one has to wait: median of the runs, and its
// standard error. nullopt: no runs.
struct RunLength {
  double median = 0, error = 0;
  std::uint64_t runs = 0;
  bool bound = false;  // most runs ended before a write had to wait
};
std::optional<RunLength> run_length(const Record& record, Question question);
// Of these only the ones that were taken before the first block of the run could pass the heads:
// until then nothing has made room. nullopt: no runs, or angles are not known.
std::optional<RunLength> taken_at_rest(const Record& record, Question question);

}  // namespace platter::cache_probe

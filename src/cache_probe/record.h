// Raw samples of the cache tests: each probe with the hypothesis it tests, kept as JSON lines. What
// is known of a cache is a pure function of a Record (estimate.h), so a run can be estimated again
// without the drive.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/units.h"
#include "scsi/drive.h"

namespace platter::samples {
class Writer;
struct Line;
}  // namespace platter::samples

namespace platter::cache_probe {

// The hypothesis that a probe tests. What some of them vary (x) is in varied_by().
enum class Question : std::uint8_t {
  miss_control,      // a block that cannot be in the cache
  reread,            // the same block again, at once
  next_block,        // the block after the one read, once it has gone by
  next_block_later,  // the same after a pause
  reach,             // read ahead from a track's first block, blocks past the request
  reach_aligned,     // the same from a block that ends at a multiple of 64 blocks
  reach_mid,         // as far as reach, from the middle of a track
  reach_large,       // as far as reach, after a larger request
  cross_track,       // read ahead from a track's end into the cylinder's next track
  cross_cylinder,    // read ahead from a cylinder's end into the next cylinder
  cross_sequential,  // into the next track after reads of a track's end and of the whole next one
  cross_in_one,      // after one request over the end of a track
  cross_ends,        // after reads of the ends of two tracks
  reach_sequential,  // blocks past the requests of cross_sequential; "ends" are those of the two
                     // tracks after
  held_first,        // first block of a request of so many blocks, read-ahead being complete
  held_upper,        // blocks past a request that is larger than the segment; where a boundary ends
                     // read-ahead it ends at one, and "ends" are those of the two tracks after
  held_lower,        // blocks before the last block held of such a request
  segments,          // first of so many reads on distinct cylinders
  segments_settled,  // the same, each with time to read ahead, a block read ahead probed
  segments_full,     // the same, each segment filled
  free_blocks,       // a block before the request, the arm having arrived well before it
  free_blocks_near,  // the same, the arm having arrived perhaps just before the request
  interrupted,       // blocks of a read-ahead that the next read stopped, once the drive was idle
  interrupted_hit,   // the same, after a hit on its segment
  hit_at_end,        // past the end of read-ahead, after a hit on its last block
  large_hit,         // blocks read again at once: the time of the bus
  whole_track_read,  // of so many sectors; phase_rev = from the first block's angle to the arm's,
                     // when issued
  write_isolated,    // a write far from all before
  write_appended,    // a write of the blocks after the one before
  read_written,      // a written block at once
  read_settled,      // a written block once it is on the media
  write_run,         // which of scattered writes without pause
  write_stream,      // which of sequential writes without pause
  write_displaces,   // first of so many reads on distinct cylinders, after one write
  whole_track_write,  // as whole_track_read
  exercise,           // requests of all kinds in random order (exercise.h)
  write_forced,       // a write with FUA
  synchronize_clean,  // SYNCHRONIZE CACHE with nothing to write
  synchronize_dirty,  // the same right after a write
  destaged,           // the same after a write and a pause
  write_run_large,    // which of scattered writes that fill a segment each
  write_into,         // a block beside a written one, of a segment that held both
  next_sequential,    // the block after two sequential reads
  reach_end,       // from a cylinder's first block to an end of a track or cylinder, blocks past it
  cut_short,       // blocks after a read, right after the next read elsewhere
  held_in_stream,  // first block of a request of so many blocks at the end of a sequential stream
  replaced,        // the oldest of so many reads, read again before one more came
  written_held,    // first of so many scattered writes, all of them on the media
  kept_of_many,    // which of many scattered reads, from the newest; all of them are probed
  reach_overrun,   // blocks past the request, once what comes much later was read ahead
  write_fill,    // a run of writes, so many blocks in all: the one that had to wait, else the last
  lookup_first,  // a read elsewhere
  lookup,        // some blocks after it, as they pass the heads
  load_changed,  // first of many blocks read after a stream, which read of the test
  divided,       // nth = 0: one of those blocks; 1: another, that one being late
  freedom,       // an effect that a field of the caching page must have
  buffer,        // first block of several large requests, so many blocks in all
  stream,        // which of sequential reads without a pause
  end_moved,     // past the end of read-ahead, after a hit on what was being read ahead
  streams,       // blocks read ahead in the oldest of so many streams
  grown,         // first block of a stream of so many blocks
};
constexpr std::size_t kQuestions = static_cast<std::size_t>(Question::grown) + 1;

const char* name_of(Question question);

// What the probes of a question vary: its x.
enum class Varied : std::uint8_t {
  nothing,   // 0
  blocks,    // past, before or of a request, as the question says
  requests,  // how many, or which of them, from 1
  pause_us,  // microseconds without a command
  setting,   // number of the setting of the caching page, from 0
};
Varied varied_by(Question question);

// What a request of the exercise is.
enum class Exercise : std::uint8_t {
  setup,         // not judged
  elsewhere,     // a read where nothing was read
  again,         // a read of what was read
  carries_on,    // a read behind an earlier one, or behind what carried that on
  ahead,         // a read some blocks further on
  before,        // a read of blocks in front of an earlier one
  written,       // a write
  read_written,  // a read of what was written
  at_once,       // a sequential read as soon as the one before is complete
  burst,         // one of many writes at places of their own, without pause; judged by its time
};
inline constexpr std::size_t kExercises = static_cast<std::size_t>(Exercise::burst) + 1;

struct Observation {
  Question question = Question::miss_control;
  std::int64_t x = 0;  // what the question varies, as varied_by() says; 0 where it varies nothing
  Exercise exercise = Exercise::setup;  // of Question::exercise
  bool write = false;
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 1;
  Nanoseconds issued_ns = 0, completed_ns = 0;
  double phase_rev = 0;              // whole_track_*
  std::uint32_t request_blocks = 0;  // of the request that set the cache up
  std::int64_t to_track_end = 0;     // blocks from that request's last one to the track's last one
  std::int64_t to_cylinder_end = 0;
  double ahead_rev = -1;  // until the first block arrives at the heads; -1: not known
  std::uint32_t nth = 0;  // probes of the same setup before this one

  Nanoseconds response_ns() const { return completed_ns - issued_ns; }
};

// What the tests knew before they began.
struct Setting {
  double period_ns = 0;
  std::uint32_t track_blocks = 0;  // of the tracks where they took place
  bool angles_trusted = false;     // probes were timed so that a miss has to wait long
  bool map_known = true;           // else tracks are no more than a measure of distances
  bool writes_allowed = false;
  bool complete = false;                // false: the budget ended first
  std::optional<scsi::CachePage> page;  // mode page 08h, current values
};

struct Record {
  Setting setting;
  std::vector<Observation> observations;
};

// Drive seconds per question: from the end of the probe before, so setups and waits are in them.
struct Spent {
  double seconds = 0;
  std::uint64_t probes = 0;
};
std::map<Question, Spent> spent_on(const Record& record);

// As payload "cache_setting", which comes before the probes.
void write_setting(samples::Writer& file, const Setting& setting);
// As payload "cache_probe", times in ns of the device's clock.
void write_probe(samples::Writer& file, const Observation& seen);
// Adds what the line holds, if it is of the cache; whether it is. Throws std::exception for fields
// that are not what these write.
bool add_to(Record& record, const samples::Line& line);

}  // namespace platter::cache_probe

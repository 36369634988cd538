// Raw samples of the cache tests: each probe with the hypothesis it tests, kept as JSON lines. What
// is known of a cache is a pure function of a Record (estimate.h), so a run can be estimated again
// without the drive.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/units.h"
#include "scsi/drive.h"

namespace platter::samples {
class Writer;
struct Line;
}  // namespace platter::samples

namespace platter::cache_probe {

// The hypothesis that a probe tests; x is what it varies (0 where nothing is).
enum class Question : std::uint8_t {
  miss_control,      // a block that cannot be in the cache: x = 0 after a seek, 1 near by
  reread,            // the same block again, at once
  next_block,        // the block behind the one read: x = 0 once it has gone by, 1 after a pause
  reach,             // read ahead from a track's first block; x = blocks past the request
  reach_aligned,     // the same from a block that ends at a multiple of 64 blocks
  reach_mid,         // the same from the middle of a track: 0 as far as reach, 1 one block more
  reach_large,       // as far as reach, behind a larger request
  cross_track,       // read ahead from a track's end into the cylinder's next track
  cross_cylinder,    // read ahead from a cylinder's end into the next cylinder
  cross_sequential,  // into the next track after reads of a track's end and of the whole next one
  reach_sequential,  // after those, x blocks past them; "ends" are those of the two tracks behind
  held_first,        // first block of a request of x blocks, read-ahead being complete
  held_upper,  // x blocks past a request that is larger than the segment; where a boundary ends
               // read-ahead it ends at one, and "ends" are those of the two tracks behind
  held_lower,  // x blocks before the last block held of such a request
  segments,    // first of x reads on distinct cylinders
  segments_settled,  // the same, each with time to read ahead, a block read ahead probed
  segments_full,     // the same, each segment filled
  free_blocks,       // a block before the request, the arm having arrived well before it
  interrupted,       // x = 0: read-ahead cut short by the next read; 1: then a hit on its segment
  hit_at_end,        // past the end of read-ahead, after a hit on its last block
  large_hit,         // x blocks read again at once: the time of the bus
  whole_track_read,  // x = sectors of the track; phase_rev = from the first block's angle to the
                     // arm's, when issued
  write_isolated,    // a write far from all before
  write_appended,    // a write behind the one before
  read_written,      // x = 0: a written block at once; 1: once it is on the media
  write_run,         // the x-th of scattered writes without pause
  write_stream,      // the x-th of adjacent writes without pause
  write_displaces,   // first of x reads on distinct cylinders, after one write
  whole_track_write,
  exercise,         // requests of all kinds in random order (exercise.h); x = what kind it is
  write_forced,     // x = 1: with FUA; 0: the same without
  synchronize,      // SYNCHRONIZE CACHE: x = 0 with nothing to write, 1 right after a write
  destaged,         // SYNCHRONIZE CACHE after a write and x us without a command
  write_run_large,  // the x-th of scattered writes that fill a segment each
  write_into,       // a block beside a written one, of a segment that held both
  next_sequential,  // the block behind a read that carries on from one before
  reach_end,        // from a cylinder's first block to an end of a track or cylinder, x blocks on
  cut_short,        // x blocks after a read, right after the next read elsewhere
  held_in_stream,   // first block of a request of x blocks at the end of a sequential stream
  replaced,         // the oldest of x reads, read again before one more came
  written_held,     // first of x scattered writes, all of them on the media
  kept_of_many,     // the x-th newest of many scattered reads, all of which are probed
  reach_overrun,    // x blocks past the request, once what comes much later was read ahead
  write_fill,       // a run of writes, x blocks in all: the one that had to wait, else the last
  lookup,           // x = 0: a read elsewhere; 1: some blocks behind it, as they pass the heads
  load_changed,     // first of many blocks read behind a stream, the read number x of the test
  divided,  // nth = 0: one of those blocks in read number x; 1: another, that one being late
  freedom,  // an effect that a field of the caching page must have; x numbers its settings
};

const char* name_of(Question question);

struct Observation {
  Question question = Question::miss_control;
  std::int64_t x = 0;
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

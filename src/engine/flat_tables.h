// The compiled tables as plain structs in flat arrays. A table file (emit/table) says the same
// without what follows from the rest.
#pragma once

#include <cstdint>
#include <span>

#include "engine/key_index.h"
#include "shingled/translation.h"

namespace platter::engine {

// A node of the layout tree (model/drive_model.h) as one instance of it is. Roots, which are
// nobody's children, come first; the children of a node lie side by side, those of an earlier node
// before those of a later.
struct FlatNode {
  std::uint64_t angle, angle_step;  // 2^64 to the turn
  std::uint64_t first_slot;         // within the parent's instance; of a root: absolute
  std::uint64_t slots;              // of one instance
  std::uint64_t reciprocal;         // floor((2^64 - 1) / slots); of a track: what a slot turns by
  std::int32_t cylinder, cylinder_step;
  std::int16_t head, head_step;
  std::uint32_t sectors;                // of a track; 0: an inner node
  std::uint32_t first_child, children;  // 0, 0: a track
};

// One of the single tracks that an inner node has in place of children, where they follow no rule:
// such a node's `children` are kTrackList and their number, its first_child the first of them.
constexpr std::uint32_t kTrackList = std::uint32_t{1} << 31;

struct FlatTrack {
  std::uint64_t angle;  // from that of the node's instance, as all the rest
  std::uint32_t first_slot;
  std::uint32_t sectors;
  std::int32_t cylinder;
  std::int16_t head;
};

// Many runs of tracks, as the bands of a drive that goes from surface to surface, lie in lists:
// such a node's `children` are kRunList and their number, its first_child the number of its
// FlatRunList. Of a root whose runs are each a zone of the model, kRunsAreZones is set too.
constexpr std::uint32_t kRunList = std::uint32_t{1} << 30;
constexpr std::uint32_t kRunsAreZones = std::uint32_t{1} << 29;
constexpr std::uint32_t kListMarks = kTrackList | kRunList | kRunsAreZones;

// How the tracks of a run follow one another.
struct FlatCourse {
  std::uint64_t angle_step;
  std::uint32_t count;  // of tracks
  std::int32_t cylinder_step;
  std::int16_t head, head_step;
};

struct FlatSize {
  std::uint64_t reciprocal;  // what a slot turns by
  std::uint32_t sectors;     // of a track
};

// Where the items of a list's runs begin in the arrays of RunsView. Lists whose items are the same
// share them.
struct FlatRunList {
  std::uint32_t first_jump, first_cylinder, first_course, first_size, first_chunk;
};

// Runs are found by where every so manieth begins.
constexpr std::uint32_t kChunk = 8;
// Slots of one instance of a node that has a list.
constexpr std::uint64_t kMostListed = ~std::uint32_t{0};

inline bool is_track(const FlatNode& node) { return node.children == 0; }
inline bool has_list(const FlatNode& node) { return node.children >= kRunList; }
inline bool has_track_list(const FlatNode& node) { return (node.children & kTrackList) != 0; }
inline bool has_run_list(const FlatNode& node) { return (node.children & kRunList) != 0; }
inline bool runs_are_zones(const FlatNode& node) { return (node.children & kRunsAreZones) != 0; }
inline std::uint32_t listed(const FlatNode& node) { return node.children & ~kListMarks; }

// A node's own of all listed tracks.
template <typename Item>
std::span<Item> listed_tracks(std::span<Item> tracks, const FlatNode& node) {
  return tracks.subspan(node.first_child, listed(node));
}

// What the instances of the node of the same index cover; the way from LBN to place needs none of
// it.
struct FlatExtent {
  std::int32_t cylinder_low, cylinder_high;  // of one instance, from its origin
  std::int16_t head_low, head_high;
  std::uint32_t count;  // of instances
};

// LBNs are cut into pieces; over a piece, slot - LBN is constant, or grows at regular steps. A
// piece's shift is that constant, or kStretch and the number of a FlatStretch. docs/table.md.
constexpr std::uint32_t kStretch = std::uint32_t{1} << 31;
// LBNs, so that the low half of a first LBN tells it (key_index.h).
constexpr std::uint64_t kLongestPiece = kFarthestLowKey;

struct FlatStretch {
  std::uint64_t shift;       // slot - LBN of its first LBN, modulo 2^64
  std::uint64_t sequential;  // the same, as if nothing were remapped; differs for a remapped block
  std::uint64_t period;      // so many LBNs on, and every so many again, `gap` more slots are
  std::uint64_t reciprocal;  // skipped; 0: never. floor((2^64 - 1) / period), 0 without one
  std::uint64_t gap;
};

struct FlatRemap {
  std::uint64_t lbn, slot;
};

struct FlatLayout {
  std::uint64_t slots, blocks, tracks;
  std::uint32_t cylinders, heads;
  std::uint32_t zones;                    // of the model
  std::uint32_t roots;                    // that hold them
  std::uint32_t root_shift, piece_shift;  // of the indices (key_index.h)
};

// The line from one point of a seek curve to the next: time_ns at the point's distance, and
// slope / 2^24 nanoseconds more a cylinder.
struct FlatSeekLine {
  std::int64_t time_ns, slope;
};

struct FlatMotion {
  std::uint64_t numerator_ns, denominator;  // one revolution takes numerator_ns / denominator ns
  std::int64_t head_switch_ns, write_settle_ns;
  std::int64_t inward_seek_ns;  // more to higher cylinders, less to lower ones

  bool operator==(const FlatMotion&) const = default;
};

// In nanoseconds. The previous request's kind, then this request's: DIXtrac paper, section 4.4.
struct CommandOverheads {
  std::int64_t read_hit[2], read_miss[2], write_hit[2], write_miss[2];  // [previous was a write]
  std::int64_t per_request;
  std::int64_t read_completion, write_completion, data_preparation;
  std::int64_t first_reselect, other_reselect;
  std::int64_t read_disconnect[2], write_disconnect;
  std::int64_t extra_command, extra_first, extra_inter, extra_second, extra_seek_delta;
  std::int64_t minimum_seek_delay;
  std::int64_t extra_write_disconnect;  // flag
  std::int64_t minimum_read_seek_delay;
  std::int64_t sequential_read_hit, sequential_write_hit;  // added to that of a hit
  std::int64_t sequential_read_within;                     // of the completion before; 0: any time

  bool operator==(const CommandOverheads&) const = default;
};

struct BusTable {
  std::int64_t read_block_ns, write_block_ns;
  double high_read_watermark;  // share of the request, or of the segment
  // 0: of the segment; 1: of the request; n > 1: n blocks at a time are sent once all n are there.
  std::uint64_t watermark_by_request;

  bool operator==(const BusTable&) const = default;
};

// Requests after which a buffer that follows the load is divided anew.
constexpr std::uint32_t kLeastWindow = 4, kUsualWindow = 32, kMostWindow = 1024;

// Most sequential streams that a drive remembers.
constexpr std::uint32_t kMostStreams = 16;

// Flags are 0 or 1. What each policy does: docs/model.md, the fields of the same names.
struct CacheTable {
  std::int64_t destage_idle_ns;
  std::uint64_t buffer_blocks;  // of all segments together
  std::uint32_t segments, segment_blocks;
  std::uint16_t fewest_segments;  // the number follows the load from here up; 0: it is fixed
  std::uint16_t window;           // ... after so many requests each; 0: kUsualWindow
  std::uint32_t write_segments;   // most that hold data which are not on the media yet
  std::uint32_t read_ahead_min, read_ahead_max;  // max 0: as far as the segment goes
  std::uint32_t read_ahead_ceiling;              // 0: none
  std::uint32_t read_ahead_longest_request;      // of longer ones none is read ahead; 0: any
  std::uint8_t present;                          // there are segments to keep data in
  std::uint8_t write_back_level;
  std::uint8_t read_ahead;   // model::ReadAhead
  std::uint8_t replacement;  // model::Replacement
  std::uint8_t separate_write_segment;
  std::uint8_t read_ahead_over_requested, read_ahead_on_hit;
  std::uint8_t read_free_blocks, zero_latency_read, zero_latency_write;
  std::uint8_t read_hit_on_written, combine_writes;
  std::uint8_t stop_in_sector, almost_read_hits, discards_after_transfer;
  std::uint8_t read_ahead_by_request, read_ahead_after_sequential;
  std::uint8_t read_ahead_to_its_end;  // no command breaks it off
  std::uint8_t read_ahead_resumes, write_hit_keeps_read_ahead;
  std::uint8_t read_ahead_streams;  // that are remembered; 0: any segment behind a hit, the last
                                    // one when idle
  std::uint8_t read_ahead_fixed_end;
  std::uint8_t segments_grow;  // in a common buffer
  std::uint8_t destage_behind, destage_by_lbn, destage_in_passing;
  std::uint8_t write_updates_segments;

  bool operator==(const CacheTable&) const = default;
  // Between requests the drive may turn to something of its own.
  bool works_when_idle() const { return (destage_behind | read_ahead_resumes) != 0; }
  // Of a buffer whose number of segments follows the load.
  std::uint32_t requests_between_divisions() const { return window == 0 ? kUsualWindow : window; }
  // Segments take what they need, as far as the buffer goes.
  bool pooled() const { return buffer_blocks < std::uint64_t{segments} * segment_blocks; }
};

// More of data that wait for their destage.
struct WrittenTable {
  std::int64_t synchronize_ns;  // of SYNCHRONIZE CACHE where nothing waits
  std::uint32_t most_blocks;    // taken before a write waits for the media; 0: as the segments go
  std::uint8_t persist;         // flag: safe as soon as they are taken

  bool operator==(const WrittenTable&) const = default;
};

// The ranges in which the model was checked; last_lbn 0: it was not.
struct ValidityTable {
  std::uint64_t first_lbn, last_lbn;
  std::uint32_t min_blocks, max_blocks, max_depth;
  std::uint8_t reads, writes;

  bool operator==(const ValidityTable&) const = default;
};

// How the drive orders what is outstanding (scheduler.h).
struct QueueTable {
  std::uint32_t scheduler;     // enum Scheduler
  std::uint32_t depth;         // commands that it takes; 0: as many as an engine
  std::uint8_t preseeking;     // 0 to 2, as in a model
  std::uint8_t hits_overtake;  // flag

  bool operator==(const QueueTable&) const = default;
};

// Which arm reaches which LBNs. One arm: count 1, and no ranges.
constexpr std::uint32_t kMostArms = 4, kMostArmRanges = 8;
struct ArmTable {
  std::int64_t interference_ns;  // that a move takes longer beside an arm that is busy
  std::uint32_t count = 1, ranges = 0;
  std::uint64_t ends[kMostArmRanges];  // first LBN behind each range, ascending
  std::uint32_t arms[kMostArmRanges];

  bool operator==(const ArmTable&) const = default;
  bool several() const { return count > 1; }
  // Of an LBN of a drive with several arms.
  std::uint32_t range_of(std::uint64_t lbn) const {
    std::uint32_t range = 0;
    while (range + 1 < ranges && lbn >= ends[range]) ++range;
    return range;
  }
  std::uint32_t arm_of(std::uint64_t lbn) const { return several() ? arms[range_of(lbn)] : 0; }
};

// What a drive at rest takes to be back at work, by power condition, the deeper ones behind
// (model/power.h), and after how long without work it goes there by itself; 0: it has none, or not
// by itself.
constexpr std::uint32_t kPowerConditions = 5;
struct PowerTable {
  std::int64_t wake_ns[kPowerConditions], after_ns[kPowerConditions];
  std::uint64_t present;  // flag: there is one that takes time to leave

  bool operator==(const PowerTable&) const = default;
};

// What lists of runs are made of; docs/table.md.
struct RunsView {
  std::span<const FlatRunList> lists;
  std::span<const FlatCourse> courses;
  std::span<const FlatSize> sizes;
  std::span<const std::uint32_t> jumps;  // behind each run but a list's last (run_list.h)
  std::span<const std::int32_t> cylinders;
  std::span<const std::uint16_t> course_numbers, size_numbers;
  std::span<const std::uint32_t> chunk_slots;   // of each list's runs 0, kChunk, ...: first slot
  std::span<const std::uint64_t> chunk_angles;  // and angle, from the node's instance
};

// Where they lie, in a file or in memory.
struct LayoutView {
  FlatLayout totals{};
  std::span<const FlatNode> nodes;
  std::span<const FlatTrack> tracks;
  RunsView runs;
  std::span<const FlatExtent> extents;        // of each node
  std::span<const std::uint64_t> root_slots;  // first slot of each root, padded (key_index.h)
  std::span<const std::uint32_t> root_buckets;
  std::span<const std::uint32_t> root_zones;  // first zone of each; none: all have one
  std::span<const std::uint32_t> piece_lbns;  // first LBN of each piece, low half, padded
  std::span<const std::uint32_t> piece_shifts;
  std::span<const std::uint32_t> piece_buckets;
  std::span<const FlatStretch> stretches;
  std::span<const FlatRemap> remaps;  // by slot
};

// All but the layout and the seeks, of a drive of so many blocks, those of a media cache included.
struct TableSections {
  std::uint64_t blocks = 0;
  FlatMotion motion{};
  CommandOverheads overheads{};
  BusTable bus{};
  CacheTable cache{};
  WrittenTable written{};
  QueueTable queue{};
  ValidityTable validity{};
  ArmTable arms{};
  PowerTable power{};
  shingled::Settings shingling{};

  bool operator==(const TableSections&) const = default;
};

}  // namespace platter::engine

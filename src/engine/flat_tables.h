// The compiled tables as plain structs in flat arrays: no pointers, no padding, little-endian, so
// that the engine uses a mapped file in place. docs/table.md has them byte by byte; a change of any
// of them is a new kFlatVersion.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

namespace platter::engine {

constexpr std::uint32_t kFlatVersion = 1;

// A node of the layout tree (model/drive_model.h) with what one instance of it holds. Zones come
// first; the children of a node lie side by side, those of an earlier node before those of a later.
struct FlatNode {
  std::uint64_t angle, angle_step;  // 2^64 to the turn
  std::uint64_t first_slot;         // within the parent's instance; of a zone: absolute
  std::uint64_t slots, tracks;      // of one instance
  std::uint64_t reciprocal;         // floor((2^64 - 1) / slots)
  std::int64_t cylinder_low, cylinder_high, head_low, head_high;  // of one instance, from its origin
  std::int32_t cylinder, cylinder_step, head, head_step;
  std::uint32_t count;
  std::uint32_t sectors;                  // of a track; 0: an inner node
  std::uint32_t first_child, children;    // 0, 0: a track
};

// Runs of slots without LBNs, as model::Skip.
struct FlatSkip {
  std::uint64_t first_slot, length, count, stride;
  std::uint64_t lbn;             // the first LBN behind the first run
  std::uint64_t skipped_before;  // slots skipped by earlier entries
};

struct FlatRemap {
  std::uint64_t lbn, slot;
};

struct FlatLayout {
  std::uint64_t slots, blocks, tracks;
  std::uint32_t cylinders, heads, zones;
  // Of the three indices (bucket_index.h): the bits of a key that its bucket does not depend on.
  std::uint32_t zone_shift, skip_lbn_shift, skip_slot_shift;
};

struct FlatSeekPoint {
  std::int64_t cylinders, time_ns;
};

struct FlatMotion {
  std::uint64_t numerator_ns, denominator;  // one revolution takes numerator_ns / denominator ns
  std::int64_t head_switch_ns, write_settle_ns;
  std::uint32_t seek_shift;  // of the index of seek points, whose keys are distances
  std::uint32_t reserved;    // 0
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
};

struct BusTable {
  std::int64_t read_block_ns, write_block_ns;
  double high_read_watermark;          // share of the request, or of the segment
  std::uint64_t watermark_by_request;  // flag
};

// Flags are 0 or 1.
struct CacheTable {
  std::uint32_t segments, segment_blocks;
  std::uint32_t read_ahead_min, read_ahead_max;  // max 0: as far as the segment goes
  std::uint8_t present;                          // there are segments to keep data in
  std::uint8_t write_back_level;
  std::uint8_t read_ahead;                       // model::ReadAhead
  std::uint8_t separate_write_segment;
  std::uint8_t read_ahead_over_requested, read_ahead_on_hit;
  std::uint8_t read_free_blocks, zero_latency_read, zero_latency_write;
  std::uint8_t read_hit_on_written, combine_writes;
  std::uint8_t stop_in_sector, almost_read_hits, discards_after_transfer;
  std::uint8_t reserved[2];                      // 0
};

// The ranges in which the model was checked; last_lbn 0: it was not.
struct ValidityTable {
  std::uint64_t first_lbn, last_lbn;
  std::uint32_t min_blocks, max_blocks, max_depth;
  std::uint8_t reads, writes;
  std::uint8_t reserved[2];  // 0
};

static_assert(sizeof(FlatNode) == 112 && sizeof(FlatSkip) == 48 && sizeof(FlatRemap) == 16 &&
              sizeof(FlatLayout) == 48 && sizeof(FlatSeekPoint) == 16 && sizeof(FlatMotion) == 40 &&
              sizeof(CommandOverheads) == 192 && sizeof(BusTable) == 32 &&
              sizeof(CacheTable) == 32 && sizeof(ValidityTable) == 32);

// Where they lie, in a file or in memory.
struct LayoutView {
  FlatLayout totals{};
  std::span<const FlatNode> nodes;
  std::span<const FlatSkip> skips;
  std::span<const FlatRemap> remaps_by_lbn, remaps_by_slot;
  std::span<const std::uint32_t> zone_index, skip_lbn_index, skip_slot_index;
};

struct TablesView {
  LayoutView layout;
  FlatMotion motion{};
  std::span<const FlatSeekPoint> seeks;
  std::span<const std::uint32_t> seek_index;
  CommandOverheads overheads{};
  BusTable bus{};
  CacheTable cache{};
  ValidityTable validity{};
};

}  // namespace platter::engine

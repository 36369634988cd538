// Tables: everything that the engine needs of a model, compiled once, immutable, in integer
// nanoseconds.
#pragma once

#include "engine/layout_map.h"
#include "engine/platter.h"
#include "engine/seek_table.h"
#include "model/drive_model.h"

namespace platter::engine {

constexpr std::uint32_t kMaxSegments = 128;

// The previous request's kind, then this request's: paper section 4.4.
struct CommandOverheads {
  Nanoseconds read_hit[2], read_miss[2], write_hit[2], write_miss[2];  // [previous was a write]
  Nanoseconds per_request;
  Nanoseconds read_completion, write_completion, data_preparation;
  Nanoseconds first_reselect, other_reselect;
  Nanoseconds read_disconnect[2], write_disconnect;
  bool extra_write_disconnect;
  Nanoseconds extra_command, extra_first, extra_inter, extra_second, extra_seek_delta;
  Nanoseconds minimum_seek_delay;
};

struct BusTable {
  Nanoseconds read_block_ns, write_block_ns;
  double high_read_watermark;         // share of the request, or of the segment
  bool watermark_by_request;
};

struct CacheTable {
  bool present;                       // there are segments to keep data in
  std::uint32_t segments, segment_blocks;
  int write_back_level;
  bool separate_write_segment;
  model::ReadAhead read_ahead;
  std::uint32_t read_ahead_min, read_ahead_max;  // max 0: as far as the segment goes
  bool read_ahead_over_requested, read_ahead_on_hit;
  bool read_free_blocks, zero_latency_read, zero_latency_write;
  bool read_hit_on_written, combine_writes;
  bool stop_in_sector, almost_read_hits, discards_after_transfer;
};

class Tables {
 public:
  explicit Tables(const model::DriveModel& model);

  LayoutMap layout;
  Platter rotation;
  SeekTable seeks;
  Nanoseconds head_switch_ns, write_settle_ns;
  CommandOverheads overheads;
  BusTable bus;
  CacheTable cache;
  model::Validity validity;
};

}  // namespace platter::engine

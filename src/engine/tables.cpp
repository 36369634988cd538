#include "engine/tables.h"

#include <algorithm>
#include <cmath>

#include "model/error.h"

namespace platter::engine {
namespace {

Nanoseconds ns(const model::Parameter& ms, double fallback_ms = 0) {
  return from_ms(ms.or_else(fallback_ms));
}

bool is_set(const model::Parameter& flag) { return flag.or_else(0) != 0; }

std::uint32_t count(const model::Parameter& number, std::uint32_t fallback) {
  const double value = number.or_else(fallback);
  if (!(value >= 0 && value <= 4e9))
    throw Error(ExitStatus::bad_input,
                "the model's cache has a size that is none; correct the model file");
  return static_cast<std::uint32_t>(value);
}

// Writes that were not measured are taken to cost what reads cost; such requests lie outside the
// model's validity, which is told with each of them.
CommandOverheads compile_overheads(const model::Overheads& o) {
  CommandOverheads c{};
  const double read_miss = o.read_miss_after_read.or_else(0);
  const double read_hit = o.read_hit_after_read.or_else(read_miss);
  c.read_hit[0] = ns(o.read_hit_after_read, read_hit);
  c.read_hit[1] = ns(o.read_hit_after_write, read_hit);
  c.read_miss[0] = ns(o.read_miss_after_read, read_miss);
  c.read_miss[1] = ns(o.read_miss_after_write, read_miss);
  c.write_hit[0] = ns(o.write_hit_after_read, read_hit);
  c.write_hit[1] = ns(o.write_hit_after_write, o.write_hit_after_read.or_else(read_hit));
  c.write_miss[0] = ns(o.write_miss_after_read, read_miss);
  c.write_miss[1] = ns(o.write_miss_after_write, o.write_miss_after_read.or_else(read_miss));
  c.per_request = ns(o.per_request);
  c.read_completion = ns(o.read_completion);
  c.write_completion = ns(o.write_completion);
  c.data_preparation = ns(o.data_preparation);
  c.first_reselect = ns(o.first_reselect);
  c.other_reselect = ns(o.other_reselect);
  c.read_disconnect[0] = ns(o.read_disconnect_after_read);
  c.read_disconnect[1] = ns(o.read_disconnect_after_write);
  c.write_disconnect = ns(o.write_disconnect);
  c.extra_write_disconnect = is_set(o.extra_write_disconnect);
  c.extra_command = ns(o.extra_disconnect_command);
  c.extra_first = ns(o.extra_disconnect_first);
  c.extra_inter = ns(o.extra_disconnect_inter);
  c.extra_second = ns(o.extra_disconnect_second);
  c.extra_seek_delta = ns(o.extra_disconnect_seek_delta);
  c.minimum_seek_delay = ns(o.minimum_seek_delay);
  return c;
}

BusTable compile_bus(const model::Bus& b) {
  BusTable bus{};
  bus.read_block_ns = ns(b.block_transfer);
  bus.write_block_ns = ns(b.write_block_transfer, b.block_transfer.or_else(0));
  bus.high_read_watermark = std::clamp(b.high_read_watermark.or_else(0), 0.0, 1.0);
  bus.watermark_by_request = b.watermark_by_request_size.or_else(1) != 0;
  return bus;
}

CacheTable compile_cache(const model::Cache& c) {
  CacheTable cache{};
  cache.segments = std::min(count(c.segments, 0), kMaxSegments);
  cache.segment_blocks = count(c.segment_blocks, 0);
  cache.present = is_set(c.read_enabled) && cache.segments > 0 && cache.segment_blocks > 0;
  cache.write_back_level = static_cast<int>(count(c.write_back_level, 0));
  cache.separate_write_segment = is_set(c.separate_write_segment) && cache.segments > 1;
  const double kind = c.read_ahead.or_else(0);
  cache.read_ahead = kind >= 0 && kind <= 4
                         ? static_cast<model::ReadAhead>(static_cast<int>(kind))
                         : model::ReadAhead::none;
  cache.read_ahead_min = count(c.read_ahead_min_blocks, 0);
  cache.read_ahead_max = count(c.read_ahead_max_blocks, 0);
  cache.read_ahead_over_requested = is_set(c.read_ahead_over_requested);
  cache.read_ahead_on_hit = is_set(c.read_ahead_on_hit);
  cache.read_free_blocks = is_set(c.read_free_blocks);
  cache.zero_latency_read = is_set(c.zero_latency_read);
  cache.zero_latency_write = is_set(c.zero_latency_write);
  cache.read_hit_on_written = is_set(c.read_hit_on_written);
  cache.combine_writes = is_set(c.combine_sequential_writes);
  cache.stop_in_sector = is_set(c.stop_read_ahead_in_sector);
  cache.almost_read_hits = is_set(c.almost_read_hits);
  cache.discards_after_transfer =
      is_set(c.discards_after_transfer) || c.read_ahead_over_requested.or_else(0) < 0;
  return cache;
}

}  // namespace

Tables::Tables(const model::DriveModel& model)
    : layout(model.layout),
      rotation(model.rotation.numerator_ns, model.rotation.denominator),
      seeks(model.seek),
      head_switch_ns(ns(model.head_switch)),
      write_settle_ns(ns(model.write_settle)),
      overheads(compile_overheads(model.overheads)),
      bus(compile_bus(model.bus)),
      cache(compile_cache(model.cache)),
      validity(model.validity) {}

}  // namespace platter::engine

// What an engine's queue and cache are set to, and what its cache holds.

#include <algorithm>
#include <optional>

#include "engine/tables.h"
#include "lib/handles.h"
#include "lib/ranges.h"

namespace {

using platter::engine::CacheSettings;
using platter::engine::CacheTable;
using platter::engine::QueueSettings;
using platter::engine::Scheduler;
using platter::lib::check_time;
using platter::lib::check_work_at;
using platter::lib::EngineContent;
using platter::lib::failed;
using platter::lib::flag;
using platter::lib::in_turn;

constexpr double kMostAgeing = 1e6;

platter_status check_queue(const char* function, const platter_queue& queue) {
  if (queue.scheduler > PLATTER_SPTF)
    return failed(PLATTER_BAD_ARGUMENT,
                  "{}: scheduler is {}: no such scheduler; they go from PLATTER_FCFS, {}, to "
                  "PLATTER_SPTF, {}",
                  function, queue.scheduler, int{PLATTER_FCFS}, int{PLATTER_SPTF});
  if (queue.reserved != 0)
    return failed(PLATTER_BAD_ARGUMENT, "{}: reserved is {}; set reserved members to 0", function,
                  queue.reserved);
  if (queue.depth > platter::engine::kMaxOutstanding)
    return failed(PLATTER_OUT_OF_RANGE, "{}: depth is {}, and must be from 0 to {}", function,
                  queue.depth, std::size_t{platter::engine::kMaxOutstanding});
  if (!(queue.ageing >= 0 && queue.ageing <= kMostAgeing))
    return failed(PLATTER_OUT_OF_RANGE, "{}: ageing is {}, and must be from 0 to {}", function,
                  queue.ageing, kMostAgeing);
  return PLATTER_OK;
}

// Of the table's own cache. Where segments follow the load, the number asked for is the most.
std::optional<CacheTable> changed_cache(CacheTable cache, const platter_cache_policies& policies) {
  const std::uint64_t blocks = cache.buffer_blocks;
  const bool divided = policies.segments >= (cache.separate_write_segment != 0 ? 2U : 1U) &&
                       policies.segments <= platter::engine::kMaxSegments &&
                       policies.segments <= blocks;
  const bool ordered = policies.maximum_prefetch == 0 ||
                       policies.minimum_prefetch <= policies.maximum_prefetch;
  if (!divided || !ordered) return std::nullopt;
  if (policies.segments != cache.segments) {
    const bool all_for_writes = cache.write_segments >=
                                cache.segments - (cache.separate_write_segment != 0 ? 1 : 0);
    cache.segments = policies.segments;
    cache.segment_blocks = static_cast<std::uint32_t>(blocks / policies.segments);
    cache.buffer_blocks = std::uint64_t{cache.segments} * cache.segment_blocks;
    cache.segments_grow = 0;  // each has its part
    const std::uint32_t most = cache.segments - (cache.separate_write_segment != 0 ? 1 : 0);
    cache.write_segments = all_for_writes ? most : std::min(cache.write_segments, most);
    if (cache.fewest_segments >= cache.segments) cache.fewest_segments = cache.window = 0;
  }
  cache.read_ahead_min = policies.minimum_prefetch;
  cache.read_ahead_max = policies.maximum_prefetch;
  cache.read_ahead_ceiling = policies.maximum_prefetch_ceiling;
  cache.read_ahead_longest_request = policies.disable_prefetch_transfer_length;
  return cache;
}

// Of an engine whose policies are not its table's (FNV-1a).
std::uint64_t mixed(std::uint64_t fingerprint, const platter_cache_policies& policies) {
  for (const std::uint32_t value :
       {policies.segments, policies.minimum_prefetch, policies.maximum_prefetch,
        policies.maximum_prefetch_ceiling, policies.disable_prefetch_transfer_length})
    fingerprint = (fingerprint ^ value) * 0x100000001b3;
  return fingerprint;
}

}  // namespace

platter_status platter_engine_set_queue(platter_engine* engine, const platter_queue* queue) {
  constexpr const char* kName = "platter_engine_set_queue";
  return in_turn(kName, engine, {{"queue", queue}}, [=](EngineContent& e) -> platter_status {
    if (const platter_status bad = check_queue(kName, *queue)) return bad;
    e.engine.set_queue({static_cast<Scheduler>(queue->scheduler), queue->depth, queue->ageing});
    return PLATTER_OK;
  });
}

platter_status platter_engine_queue(const platter_engine* engine, platter_queue* queue) {
  return in_turn("platter_engine_queue", engine, {{"queue", queue}},
                 [=](const EngineContent& e) -> platter_status {
                   const QueueSettings settings = e.engine.queue_settings();
                   *queue = {static_cast<std::uint32_t>(settings.scheduler), settings.depth,
                             settings.ageing, 0};
                   return PLATTER_OK;
                 });
}

platter_status platter_engine_set_cache(platter_engine* engine, uint32_t flags, int64_t time_ns) {
  return in_turn("platter_engine_set_cache", engine, {}, [=](EngineContent& e) -> platter_status {
    const std::uint32_t known = PLATTER_READ_CACHE | PLATTER_WRITE_CACHE | PLATTER_READ_AHEAD;
    if ((flags & ~known) != 0)
      return failed(PLATTER_BAD_ARGUMENT,
                    "platter_engine_set_cache: flags is {}: an unknown flag; together they are {}",
                    flags, known);
    if (const platter_status bad = check_work_at(e, "time_ns", time_ns)) return bad;
    e.engine.set_cache({(flags & PLATTER_READ_CACHE) != 0, (flags & PLATTER_WRITE_CACHE) != 0,
                        (flags & PLATTER_READ_AHEAD) != 0},
                       time_ns);
    return PLATTER_OK;
  });
}

platter_status platter_engine_cache(const platter_engine* engine, uint32_t* flags) {
  return in_turn("platter_engine_cache", engine, {{"flags", flags}},
                 [=](const EngineContent& e) -> platter_status {
                   const CacheSettings settings = e.engine.cache_settings();
                   *flags = flag(settings.read_cache, PLATTER_READ_CACHE) |
                            flag(settings.write_cache, PLATTER_WRITE_CACHE) |
                            flag(settings.read_ahead, PLATTER_READ_AHEAD);
                   return PLATTER_OK;
                 });
}

platter_status platter_engine_set_cache_policies(platter_engine* engine,
                                                 const platter_cache_policies* policies,
                                                 int64_t time_ns) {
  constexpr const char* kName = "platter_engine_set_cache_policies";
  return in_turn(kName, engine, {{"policies", policies}}, [=](EngineContent& e) -> platter_status {
    if (policies->struct_size != sizeof *policies)
      return failed(PLATTER_BAD_ARGUMENT, "{}: struct_size is {}, and that of this version is {}",
                    kName, policies->struct_size, sizeof *policies);
    if (const platter_status bad = check_work_at(e, "time_ns", time_ns)) return bad;
    if (e.table_cache.segments == 0) return PLATTER_NOTHING;
    const auto changed = changed_cache(e.table_cache, *policies);
    if (!changed)
      return failed(PLATTER_OUT_OF_RANGE,
                    "{}: segments is {}, minimum_prefetch {} and maximum_prefetch {}: the buffer "
                    "cannot be divided so, or a minimum is above its maximum",
                    kName, policies->segments, policies->minimum_prefetch,
                    policies->maximum_prefetch);
    e.engine.change_cache(*changed, time_ns);
    e.fingerprint = mixed(e.table_fingerprint, *policies);
    return PLATTER_OK;
  });
}

platter_status platter_engine_cache_policies(const platter_engine* engine,
                                             platter_cache_policies* policies) {
  return in_turn("platter_engine_cache_policies", engine, {{"policies", policies}},
                 [=](const EngineContent& e) -> platter_status {
                   const CacheTable& cache = e.engine.tables().cache;
                   return platter::lib::fill(
                       policies, platter_cache_policies{
                                     0, cache.segments, cache.read_ahead_min, cache.read_ahead_max,
                                     cache.read_ahead_ceiling, cache.read_ahead_longest_request});
                 });
}

platter_status platter_engine_dirty(const platter_engine* engine, int64_t time_ns,
                                    platter_extent* extents, size_t room, size_t* count) {
  constexpr const char* kName = "platter_engine_dirty";
  return in_turn(kName, engine, {{"count", count}}, [=](const EngineContent& e) -> platter_status {
    if (room > 0)
      if (const platter_status bad = platter::lib::null_among(kName, {{"extents", extents}}))
        return bad;
    if (const platter_status bad = check_time("time_ns", time_ns)) return bad;
    const auto dirty = e.engine.unwritten(time_ns);
    for (std::size_t i = 0; i < std::min(room, dirty.size()); ++i)
      extents[i] = {dirty[i].first, dirty[i].end - dirty[i].first};
    *count = dirty.size();
    return PLATTER_OK;
  });
}

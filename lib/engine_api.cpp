// Engines: requests in, completions out, settings, checkpoint and rollback.

#include <algorithm>
#include <memory>
#include <optional>

#include "engine/tables.h"
#include "lib/handles.h"

namespace {

using platter::engine::CacheSettings;
using platter::engine::CacheTable;
using platter::engine::Completion;
using platter::engine::QueueSettings;
using platter::engine::Request;
using platter::engine::Scheduler;
using platter::lib::failed;
using platter::lib::flag;
using platter::lib::is_time;
using platter::lib::missing;

bool is_disturbance(std::int64_t ns) {
  return ns >= -PLATTER_DISTURBANCE_LIMIT && ns <= PLATTER_DISTURBANCE_LIMIT;
}

platter_status bad_time() {
  return failed(PLATTER_OUT_OF_RANGE, "a time is beyond PLATTER_TIME_LIMIT");
}

platter_status past_the_last_block() {
  return failed(PLATTER_OUT_OF_RANGE,
                "the request has no blocks, or goes past the drive's last one");
}

platter_status check(const platter_engine& engine, const platter_request& r, std::int64_t time_ns) {
  if ((r.flags & ~std::uint32_t{PLATTER_WRITE | PLATTER_FORCE_UNIT_ACCESS}) != 0 ||
      r.reserved_1 != 0 || r.reserved_2 != 0)
    return failed(PLATTER_BAD_ARGUMENT,
                  "the request has an unknown flag, or a reserved member not 0");
  if (r.blocks == 0 || r.lbn >= engine.blocks || r.blocks > engine.blocks - r.lbn)
    return past_the_last_block();
  if (!is_disturbance(r.positioning_ns) || !is_disturbance(r.media_delay_ns) ||
      r.media_delay_ns < 0 || !is_disturbance(r.phase_ns))
    return failed(PLATTER_OUT_OF_RANGE,
                  "a disturbance is beyond PLATTER_DISTURBANCE_LIMIT, or a delay is negative");
  return is_time(time_ns) ? PLATTER_OK : bad_time();
}

Request request_of(const platter_request& r) {
  Request request;
  request.lbn = r.lbn;
  request.blocks = r.blocks;
  request.write = (r.flags & PLATTER_WRITE) != 0;
  request.force_unit_access = (r.flags & PLATTER_FORCE_UNIT_ACCESS) != 0;
  request.tag = r.tag;
  request.disturbance = {r.positioning_ns, r.media_delay_ns, r.phase_ns};
  return request;
}

platter_completion completion_of(const Completion& c) {
  const std::uint32_t flags = flag(c.media_access, PLATTER_MEDIA_ACCESS) |
                              flag(c.cache_hit, PLATTER_CACHE_HIT) |
                              flag(c.outside_validity, PLATTER_OUTSIDE_VALIDITY);
  return {c.tag, flags, c.arrival_ns, c.completion_ns, 0};
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

// In front of the engine's state.
struct CheckpointHead {
  std::uint64_t fingerprint, state_bytes;
};

}  // namespace

platter_status platter_engine_create(const platter_table* table, platter_engine** engine) {
  if (table == nullptr || engine == nullptr)
    return missing("platter_engine_create: NULL was given");
  try {
    *engine = new platter_engine{platter::engine::Engine(table->table.tables), table->blocks,
                                 table->fingerprint, table->fingerprint,
                                 table->table.tables->cache};
    return PLATTER_OK;
  } catch (...) {
    return platter::lib::failed_by_exception();
  }
}

void platter_engine_destroy(platter_engine* engine) { delete engine; }

platter_status platter_engine_reset(platter_engine* engine, int64_t time_ns) {
  if (engine == nullptr) return missing("platter_engine_reset: NULL was given");
  if (!is_time(time_ns)) return bad_time();
  engine->engine.reset(time_ns);
  return PLATTER_OK;
}

platter_status platter_engine_service(platter_engine* engine, const platter_request* request,
                                      int64_t time_ns, platter_completion* completion) {
  if (engine == nullptr || request == nullptr || completion == nullptr)
    return missing("platter_engine_service: NULL was given");
  if (const platter_status bad = check(*engine, *request, time_ns)) return bad;
  *completion = completion_of(engine->engine.service(request_of(*request), time_ns));
  return PLATTER_OK;
}

platter_status platter_engine_service_batch(platter_engine* engine, const platter_request* requests,
                                            const int64_t* times_ns, size_t count,
                                            platter_completion* completions, size_t* served) {
  if (engine == nullptr || served == nullptr ||
      (count > 0 && (requests == nullptr || times_ns == nullptr || completions == nullptr)))
    return missing("platter_engine_service_batch: NULL was given");
  platter_status status = PLATTER_OK;
  std::size_t done = 0;
  for (; done < count && status == PLATTER_OK; done += status == PLATTER_OK ? 1 : 0)
    status = platter_engine_service(engine, &requests[done], times_ns[done], &completions[done]);
  *served = done;
  return status;
}

platter_status platter_engine_submit(platter_engine* engine, const platter_request* request,
                                     int64_t arrival_ns) {
  if (engine == nullptr || request == nullptr)
    return missing("platter_engine_submit: NULL was given");
  if (const platter_status bad = check(*engine, *request, arrival_ns)) return bad;
  if (engine->engine.submit(request_of(*request), arrival_ns)) return PLATTER_OK;
  return engine->engine.outstanding() < platter::engine::kMaxOutstanding ? PLATTER_QUEUE_FULL
                                                                         : PLATTER_TOO_MANY;
}

platter_status platter_engine_next_completion_time(platter_engine* engine, int64_t* time_ns) {
  if (engine == nullptr || time_ns == nullptr)
    return missing("platter_engine_next_completion_time: NULL was given");
  const auto next = engine->engine.next_completion_time();
  if (!next) return PLATTER_NOTHING;
  *time_ns = *next;
  return PLATTER_OK;
}

platter_status platter_engine_next_completion(platter_engine* engine,
                                              platter_completion* completion) {
  if (engine == nullptr || completion == nullptr)
    return missing("platter_engine_next_completion: NULL was given");
  const auto next = engine->engine.next_completion();
  if (!next) return PLATTER_NOTHING;
  *completion = completion_of(*next);
  return PLATTER_OK;
}

platter_status platter_engine_completions_until(platter_engine* engine, int64_t time_ns,
                                                platter_completion* completions, size_t room,
                                                size_t* taken) {
  if (engine == nullptr || taken == nullptr || (room > 0 && completions == nullptr))
    return missing("platter_engine_completions_until: NULL was given");
  if (!is_time(time_ns)) return bad_time();
  std::size_t count = 0;
  for (; count < room; ++count) {
    const auto due_ns = engine->engine.next_completion_time();
    if (!due_ns || *due_ns > time_ns) break;
    completions[count] = completion_of(*engine->engine.next_completion());
  }
  *taken = count;
  return PLATTER_OK;
}

platter_status platter_engine_advance(platter_engine* engine, int64_t time_ns) {
  if (engine == nullptr) return missing("platter_engine_advance: NULL was given");
  if (!is_time(time_ns)) return bad_time();
  engine->engine.advance(time_ns);
  return PLATTER_OK;
}

size_t platter_engine_outstanding(const platter_engine* engine) {
  return engine == nullptr ? 0 : engine->engine.outstanding();
}

platter_status platter_engine_cancel(platter_engine* engine, uint32_t tag, int64_t time_ns) {
  if (engine == nullptr) return missing("platter_engine_cancel: NULL was given");
  if (!is_time(time_ns)) return bad_time();
  return engine->engine.cancel(tag, time_ns) ? PLATTER_OK : PLATTER_NOTHING;
}

platter_status platter_engine_drop_outstanding(platter_engine* engine) {
  if (engine == nullptr) return missing("platter_engine_drop_outstanding: NULL was given");
  engine->engine.drop_outstanding();
  return PLATTER_OK;
}

platter_status platter_engine_set_queue(platter_engine* engine, const platter_queue* queue) {
  if (engine == nullptr || queue == nullptr)
    return missing("platter_engine_set_queue: NULL was given");
  if (queue->scheduler > PLATTER_SPTF || queue->reserved != 0)
    return failed(PLATTER_BAD_ARGUMENT,
                  "platter_engine_set_queue: no such scheduler, or a reserved member not 0");
  if (queue->depth > platter::engine::kMaxOutstanding ||
      !(queue->ageing >= 0 && queue->ageing <= 1e6))
    return failed(PLATTER_OUT_OF_RANGE,
                  "platter_engine_set_queue: the depth or the ageing is beyond its limit");
  engine->engine.set_queue({static_cast<Scheduler>(queue->scheduler), queue->depth, queue->ageing});
  return PLATTER_OK;
}

platter_status platter_engine_queue(const platter_engine* engine, platter_queue* queue) {
  if (engine == nullptr || queue == nullptr) return missing("platter_engine_queue: NULL was given");
  const QueueSettings settings = engine->engine.queue_settings();
  *queue = {static_cast<std::uint32_t>(settings.scheduler), settings.depth, settings.ageing, 0};
  return PLATTER_OK;
}

platter_status platter_engine_set_cache(platter_engine* engine, uint32_t flags, int64_t time_ns) {
  if (engine == nullptr) return missing("platter_engine_set_cache: NULL was given");
  if ((flags & ~std::uint32_t{PLATTER_READ_CACHE | PLATTER_WRITE_CACHE | PLATTER_READ_AHEAD}) != 0)
    return failed(PLATTER_BAD_ARGUMENT, "platter_engine_set_cache: an unknown flag");
  if (!is_time(time_ns)) return bad_time();
  engine->engine.set_cache({(flags & PLATTER_READ_CACHE) != 0, (flags & PLATTER_WRITE_CACHE) != 0,
                            (flags & PLATTER_READ_AHEAD) != 0},
                           time_ns);
  return PLATTER_OK;
}

platter_status platter_engine_cache(const platter_engine* engine, uint32_t* flags) {
  if (engine == nullptr || flags == nullptr) return missing("platter_engine_cache: NULL was given");
  const CacheSettings settings = engine->engine.cache_settings();
  *flags = flag(settings.read_cache, PLATTER_READ_CACHE) |
           flag(settings.write_cache, PLATTER_WRITE_CACHE) |
           flag(settings.read_ahead, PLATTER_READ_AHEAD);
  return PLATTER_OK;
}

platter_status platter_engine_set_cache_policies(platter_engine* engine,
                                                 const platter_cache_policies* policies,
                                                 int64_t time_ns) {
  if (engine == nullptr || policies == nullptr)
    return missing("platter_engine_set_cache_policies: NULL was given");
  if (policies->struct_size != sizeof *policies)
    return failed(PLATTER_BAD_ARGUMENT,
                  "platter_engine_set_cache_policies: struct_size is not that of this version");
  if (!is_time(time_ns)) return bad_time();
  if (engine->table_cache.segments == 0) return PLATTER_NOTHING;
  const auto changed = changed_cache(engine->table_cache, *policies);
  if (!changed)
    return failed(
        PLATTER_OUT_OF_RANGE,
        "platter_engine_set_cache_policies: the buffer cannot be divided so, or a minimum "
        "is above its maximum");
  try {
    engine->engine.change_cache(*changed, time_ns);
    engine->fingerprint = mixed(engine->table_fingerprint, *policies);
    return PLATTER_OK;
  } catch (...) {
    return platter::lib::failed_by_exception();
  }
}

platter_status platter_engine_cache_policies(const platter_engine* engine,
                                             platter_cache_policies* policies) {
  if (engine == nullptr || policies == nullptr)
    return missing("platter_engine_cache_policies: NULL was given");
  const CacheTable& cache = engine->engine.tables().cache;
  return platter::lib::fill(
      policies,
      platter_cache_policies{0, cache.segments, cache.read_ahead_min, cache.read_ahead_max,
                             cache.read_ahead_ceiling, cache.read_ahead_longest_request});
}

platter_status platter_engine_dirty(const platter_engine* engine, int64_t time_ns,
                                    platter_extent* extents, size_t room, size_t* count) {
  if (engine == nullptr || count == nullptr || (room > 0 && extents == nullptr))
    return missing("platter_engine_dirty: NULL was given");
  if (!is_time(time_ns)) return bad_time();
  try {
    const auto dirty = engine->engine.unwritten(time_ns);
    for (std::size_t i = 0; i < std::min(room, dirty.size()); ++i)
      extents[i] = {dirty[i].first, dirty[i].end - dirty[i].first};
    *count = dirty.size();
    return PLATTER_OK;
  } catch (...) {
    return platter::lib::failed_by_exception();
  }
}

platter_status platter_engine_synchronize(platter_engine* engine, int64_t time_ns,
                                          int64_t* done_ns) {
  if (engine == nullptr || done_ns == nullptr)
    return missing("platter_engine_synchronize: NULL was given");
  if (!is_time(time_ns)) return bad_time();
  *done_ns = engine->engine.synchronize(time_ns);
  return PLATTER_OK;
}

platter_status platter_engine_seek(platter_engine* engine, uint64_t lbn, int64_t time_ns,
                                   int64_t* there_ns) {
  if (engine == nullptr || there_ns == nullptr)
    return missing("platter_engine_seek: NULL was given");
  if (lbn >= engine->blocks) return past_the_last_block();
  if (!is_time(time_ns)) return bad_time();
  *there_ns = engine->engine.seek(lbn, time_ns);
  return PLATTER_OK;
}

size_t platter_engine_checkpoint_size(const platter_engine* engine) {
  return engine == nullptr ? 0 : sizeof(CheckpointHead) + engine->engine.checkpoint().size();
}

platter_status platter_engine_save(const platter_engine* engine, void* memory, size_t size) {
  if (engine == nullptr || memory == nullptr) return missing("platter_engine_save: NULL was given");
  const std::span<const std::byte> state = engine->engine.checkpoint();
  const CheckpointHead head{engine->fingerprint, state.size()};
  if (size < sizeof head + state.size())
    return failed(PLATTER_OUT_OF_RANGE,
                  "platter_engine_save: the memory is smaller than a checkpoint; "
                  "platter_engine_checkpoint_size() says what it takes");
  std::memcpy(memory, &head, sizeof head);
  std::memcpy(static_cast<std::byte*>(memory) + sizeof head, state.data(), state.size());
  return PLATTER_OK;
}

platter_status platter_engine_restore(platter_engine* engine, const void* memory, size_t size) {
  if (engine == nullptr || memory == nullptr)
    return missing("platter_engine_restore: NULL was given");
  const std::size_t state_bytes = engine->engine.checkpoint().size();
  CheckpointHead head{};
  if (size >= sizeof head) std::memcpy(&head, memory, sizeof head);
  if (size < sizeof head + state_bytes || head.fingerprint != engine->fingerprint ||
      head.state_bytes != state_bytes)
    return failed(PLATTER_BAD_CHECKPOINT,
                  "platter_engine_restore: this is no checkpoint of an engine over an equal table "
                  "and of a library of the same version");
  engine->engine.roll_back({static_cast<const std::byte*>(memory) + sizeof head, state_bytes});
  return PLATTER_OK;
}

platter_status platter_engine_counters(const platter_engine* engine, platter_counters* counters) {
  if (engine == nullptr || counters == nullptr)
    return missing("platter_engine_counters: NULL was given");
  return platter::lib::fill(counters, platter_counters{0, 0, engine->engine.outside_validity(),
                                                       engine->engine.late_arrivals()});
}

// Engines: made and destroyed; requests in, completions out.

#include <sched.h>

#include "lib/handles.h"
#include "lib/process.h"
#include "lib/ranges.h"

namespace {

using platter::engine::Completion;
using platter::engine::Request;
using platter::lib::AnyHandle;
using platter::lib::check_lbn;
using platter::lib::check_request;
using platter::lib::check_time;
using platter::lib::check_work_at;
using platter::lib::EngineContent;
using platter::lib::flag;
using platter::lib::in_turn;
using platter::lib::Turn;

platter::lib::ClosedHandles closed_engines;

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

platter_status serve(EngineContent& e, const platter_request& request, std::int64_t time_ns,
                     platter_completion& completion) {
  if (const platter_status bad = check_request(e, request)) return bad;
  if (const platter_status bad = check_work_at(e, "time_ns", time_ns)) return bad;
  completion = completion_of(e.engine.service(request_of(request), time_ns));
  return PLATTER_OK;
}

// Waits for the call that another thread is in. false: that thread never ends its call, because it
// stayed behind in a fork().
bool take_for_ever(const AnyHandle& engine) {
  for (;;) {
    std::uint32_t found = AnyHandle::kOpen;
    const std::uint32_t mine = platter::lib::mark_of_process();
    if (engine.use.compare_exchange_strong(found, mine, std::memory_order_acquire,
                                           std::memory_order_relaxed))
      return true;
    if (found != mine) return false;
    ::sched_yield();
  }
}

}  // namespace

platter_status platter_engine_create(const platter_table* table, platter_engine** engine) {
  const auto create = [=](const platter::lib::TableContent& t) -> platter_status {
    platter::lib::process_number();  // so that no later call has to draw it
    *engine = platter::lib::opened_handle<platter_engine>(closed_engines, t);
    return PLATTER_OK;
  };
  return with_table("platter_engine_create", table, {{"engine", engine}}, create);
}

void platter_engine_destroy(platter_engine* engine) {
  if (engine != nullptr && platter::lib::begin_to_close(*engine) && take_for_ever(*engine))
    platter::lib::close_handle(closed_engines, engine);
}

platter_status platter_engine_reset(platter_engine* engine, int64_t time_ns) {
  return in_turn("platter_engine_reset", engine, {}, [=](EngineContent& e) -> platter_status {
    if (const platter_status bad = check_time("time_ns", time_ns)) return bad;
    e.engine.reset(time_ns);
    return PLATTER_OK;
  });
}

platter_status platter_engine_service(platter_engine* engine, const platter_request* request,
                                      int64_t time_ns, platter_completion* completion) {
  return in_turn(
      "platter_engine_service", engine, {{"request", request}, {"completion", completion}},
      [=](EngineContent& e) -> platter_status { return serve(e, *request, time_ns, *completion); });
}

platter_status platter_engine_service_batch(platter_engine* engine, const platter_request* requests,
                                            const int64_t* times_ns, size_t count,
                                            platter_completion* completions, size_t* served) {
  const auto serve_all = [=](EngineContent& e) -> platter_status {
    if (count > 0)
      if (const platter_status bad = platter::lib::null_among(
              "platter_engine_service_batch",
              {{"requests", requests}, {"times_ns", times_ns}, {"completions", completions}}))
        return bad;
    platter_status status = PLATTER_OK;
    std::size_t done = 0;
    for (; done < count && status == PLATTER_OK; done += status == PLATTER_OK ? 1 : 0)
      status = serve(e, requests[done], times_ns[done], completions[done]);
    *served = done;
    return status;
  };
  return in_turn("platter_engine_service_batch", engine, {{"served", served}}, serve_all);
}

platter_status platter_engine_submit(platter_engine* engine, const platter_request* request,
                                     int64_t arrival_ns) {
  return in_turn("platter_engine_submit", engine, {{"request", request}},
                 [=](EngineContent& e) -> platter_status {
                   if (const platter_status bad = check_request(e, *request)) return bad;
                   if (const platter_status bad = check_work_at(e, "arrival_ns", arrival_ns))
                     return bad;
                   if (e.engine.submit(request_of(*request), arrival_ns)) return PLATTER_OK;
                   return e.engine.outstanding() < platter::engine::kMaxOutstanding
                              ? PLATTER_QUEUE_FULL
                              : PLATTER_TOO_MANY;
                 });
}

platter_status platter_engine_next_completion_time(platter_engine* engine, int64_t* time_ns) {
  return in_turn("platter_engine_next_completion_time", engine, {{"time_ns", time_ns}},
                 [=](EngineContent& e) -> platter_status {
                   const auto next = e.engine.next_completion_time();
                   if (next) *time_ns = *next;
                   return next ? PLATTER_OK : PLATTER_NOTHING;
                 });
}

platter_status platter_engine_next_completion(platter_engine* engine,
                                              platter_completion* completion) {
  return in_turn("platter_engine_next_completion", engine, {{"completion", completion}},
                 [=](EngineContent& e) -> platter_status {
                   const auto next = e.engine.next_completion();
                   if (next) *completion = completion_of(*next);
                   return next ? PLATTER_OK : PLATTER_NOTHING;
                 });
}

platter_status platter_engine_completions_until(platter_engine* engine, int64_t time_ns,
                                                platter_completion* completions, size_t room,
                                                size_t* taken) {
  constexpr const char* kName = "platter_engine_completions_until";
  return in_turn(kName, engine, {{"taken", taken}}, [=](EngineContent& e) -> platter_status {
    if (room > 0)
      if (const platter_status bad = platter::lib::null_among(kName,
                                                              {{"completions", completions}}))
        return bad;
    if (const platter_status bad = check_time("time_ns", time_ns)) return bad;
    std::size_t count = 0;
    for (; count < room; ++count) {
      const auto due_ns = e.engine.next_completion_time();
      if (!due_ns || *due_ns > time_ns) break;
      completions[count] = completion_of(*e.engine.next_completion());
    }
    *taken = count;
    return PLATTER_OK;
  });
}

platter_status platter_engine_advance(platter_engine* engine, int64_t time_ns) {
  return in_turn("platter_engine_advance", engine, {}, [=](EngineContent& e) -> platter_status {
    if (const platter_status bad = check_time("time_ns", time_ns)) return bad;
    e.engine.advance(time_ns);
    return PLATTER_OK;
  });
}

size_t platter_engine_outstanding(const platter_engine* engine) {
  if (engine == nullptr) return 0;
  const Turn turn(*engine);
  if (turn.is_mine()) return engine->content->engine.outstanding();
  return turn.refused("platter_engine_outstanding") == PLATTER_BUSY ? SIZE_MAX : 0;
}

platter_status platter_engine_cancel(platter_engine* engine, uint32_t tag, int64_t time_ns) {
  return in_turn("platter_engine_cancel", engine, {}, [=](EngineContent& e) -> platter_status {
    if (const platter_status bad = check_time("time_ns", time_ns)) return bad;
    return e.engine.cancel(tag, time_ns) ? PLATTER_OK : PLATTER_NOTHING;
  });
}

platter_status platter_engine_drop_outstanding(platter_engine* engine) {
  return in_turn("platter_engine_drop_outstanding", engine, {},
                 [](EngineContent& e) -> platter_status {
                   e.engine.drop_outstanding();
                   return PLATTER_OK;
                 });
}

platter_status platter_engine_synchronize(platter_engine* engine, int64_t time_ns,
                                          int64_t* done_ns) {
  return in_turn("platter_engine_synchronize", engine, {{"done_ns", done_ns}},
                 [=](EngineContent& e) -> platter_status {
                   if (const platter_status bad = check_work_at(e, "time_ns", time_ns)) return bad;
                   *done_ns = e.engine.synchronize(time_ns);
                   return PLATTER_OK;
                 });
}

platter_status platter_engine_seek(platter_engine* engine, uint64_t lbn, int64_t time_ns,
                                   int64_t* there_ns) {
  return in_turn("platter_engine_seek", engine, {{"there_ns", there_ns}},
                 [=](EngineContent& e) -> platter_status {
                   if (const platter_status bad = check_lbn(lbn, e.blocks)) return bad;
                   if (const platter_status bad = check_work_at(e, "time_ns", time_ns)) return bad;
                   *there_ns = e.engine.seek(lbn, time_ns);
                   return PLATTER_OK;
                 });
}

platter_status platter_engine_counters(const platter_engine* engine, platter_counters* counters) {
  return in_turn("platter_engine_counters", engine, {{"counters", counters}},
                 [=](const EngineContent& e) -> platter_status {
                   return platter::lib::fill(counters,
                                             platter_counters{0, 0, e.engine.outside_validity(),
                                                              e.engine.late_arrivals()});
                 });
}

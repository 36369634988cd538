// Through libplatter comes what engine::Engine says, and a rollback repeats it.

#include <cstring>
#include <random>

#include "engine/engine.h"
#include "engine/tables.h"
#include "tables.h"
#include "virtual_drive/catalogue.h"

using namespace platter;
using namespace platter::lib::testing;

namespace {

// Requests of all kinds; half of them near where the last one was, so that caches have work.
class Workload {
 public:
  Workload(std::uint64_t blocks, std::uint64_t seed) : random_(seed), blocks_(blocks) {}

  platter_request next() {
    platter_request r{};
    r.blocks = 1 + static_cast<std::uint32_t>(random_() % 64);
    const std::uint64_t places = blocks_ - r.blocks + 1;
    r.lbn = random_() % 2 == 0 ? random_() % places : (at_ + random_() % 100) % places;
    if (random_() % 3 == 0) r.flags = PLATTER_WRITE;
    if (random_() % 10 == 0) r.flags |= PLATTER_FORCE_UNIT_ACCESS;
    r.tag = static_cast<std::uint32_t>(random_());
    if (random_() % 2 == 0) {
      r.positioning_ns = below(200'000) - 100'000;
      r.media_delay_ns = below(50'000);
      r.phase_ns = below(20'000) - 10'000;
    }
    at_ = r.lbn + r.blocks;
    return r;
  }
  std::int64_t below(std::uint64_t limit) { return static_cast<std::int64_t>(random_() % limit); }

 private:
  std::mt19937_64 random_;
  std::uint64_t blocks_, at_ = 0;
};

engine::Request request_of(const platter_request& r) {
  return {.lbn = r.lbn,
          .blocks = r.blocks,
          .write = (r.flags & PLATTER_WRITE) != 0,
          .force_unit_access = (r.flags & PLATTER_FORCE_UNIT_ACCESS) != 0,
          .verify = false,
          .tag = r.tag,
          .disturbance = {r.positioning_ns, r.media_delay_ns, r.phase_ns}};
}

bool same(const platter_completion& a, const engine::Completion& b) {
  return a.tag == b.tag && a.arrival_ns == b.arrival_ns && a.completion_ns == b.completion_ns &&
         ((a.flags & PLATTER_MEDIA_ACCESS) != 0) == b.media_access &&
         ((a.flags & PLATTER_CACHE_HIT) != 0) == b.cache_hit &&
         ((a.flags & PLATTER_OUTSIDE_VALIDITY) != 0) == b.outside_validity && a.reserved == 0;
}

void same_counters(const platter_engine* a, const engine::Engine& b) {
  platter_counters counters{};
  counters.struct_size = sizeof counters;
  REQUIRE(platter_engine_counters(a, &counters) == PLATTER_OK);
  CHECK(counters.outside_validity == b.outside_validity());
  CHECK(counters.late_arrivals == b.late_arrivals());
}

constexpr int kRequests = 100'000;

}  // namespace

TEST_CASE("100,000 random requests, one at a time: as the engine by itself") {
  for (const auto& entry : virtual_drive::validated_drives()) {
    INFO(entry.name);
    const model::DriveModel model = virtual_drive::catalogue_model(entry);
    const TableHandle table = opened(emit_table::compile_table(model));
    const EngineHandle ours = created(table);
    engine::Engine theirs(model);
    Workload workload(model.identity.blocks, 1);
    std::int64_t now = 0;
    for (int i = 0; i < kRequests; ++i) {
      const platter_request r = workload.next();
      platter_completion c{};
      REQUIRE(platter_engine_service(ours.get(), &r, now, &c) == PLATTER_OK);
      REQUIRE(same(c, theirs.service(request_of(r), now)));
      now = (i % 7 == 0 ? now : c.completion_ns) + workload.below(5'000'000);
    }
    same_counters(ours.get(), theirs);
  }
}

TEST_CASE("100,000 random requests, several outstanding, told late: as the engine by itself") {
  const model::DriveModel model =
      virtual_drive::catalogue_model(virtual_drive::catalogue().front());
  const TableHandle table = opened(emit_table::compile_table(model));
  const EngineHandle ours = created(table);
  engine::Engine theirs(model);
  Workload workload(model.identity.blocks, 2);
  std::int64_t now = 0;
  for (int i = 0; i < kRequests; ++i) {
    if (i % 1000 == 0) {
      const auto scheduler = static_cast<std::uint32_t>(i / 1000 % 5);
      const platter_queue queue{scheduler, 8 + scheduler, scheduler == 4 ? 0.25 : 0.0, 0};
      REQUIRE(platter_engine_set_queue(ours.get(), &queue) == PLATTER_OK);
      theirs.set_queue({static_cast<engine::Scheduler>(scheduler), queue.depth, queue.ageing});
    }
    const platter_request r = workload.next();
    const std::int64_t arrival = now - workload.below(100'000);
    const platter_status status = platter_engine_submit(ours.get(), &r, arrival);
    REQUIRE((status == PLATTER_OK) == theirs.submit(request_of(r), arrival));
    now += workload.below(8'000'000);
    REQUIRE(platter_engine_advance(ours.get(), now) == PLATTER_OK);
    theirs.advance(now);
    std::int64_t next = 0;
    while (platter_engine_next_completion_time(ours.get(), &next) == PLATTER_OK) {
      REQUIRE(theirs.next_completion_time() == next);
      if (next > now) break;
      platter_completion c{};
      REQUIRE(platter_engine_next_completion(ours.get(), &c) == PLATTER_OK);
      REQUIRE(same(c, theirs.next_completion().value()));
    }
    REQUIRE(platter_engine_outstanding(ours.get()) == theirs.outstanding());
  }
  same_counters(ours.get(), theirs);
}

TEST_CASE("settings, seeks and synchronization: as the engine by itself") {
  const model::DriveModel model =
      virtual_drive::catalogue_model(virtual_drive::catalogue().front());
  const TableHandle table = opened(emit_table::compile_table(model));
  const EngineHandle ours = created(table);
  engine::Engine theirs(model);
  Workload workload(model.identity.blocks, 3);
  std::int64_t now = 0;
  for (int i = 0; i < 20'000; ++i) {
    const platter_request r = workload.next();
    std::int64_t mine = 0;
    switch (workload.below(40)) {
      case 0:
        REQUIRE(platter_engine_synchronize(ours.get(), now, &mine) == PLATTER_OK);
        REQUIRE(mine == theirs.synchronize(now));
        break;
      case 1:
        REQUIRE(platter_engine_seek(ours.get(), r.lbn, now, &mine) == PLATTER_OK);
        REQUIRE(mine == theirs.seek(r.lbn, now));
        break;
      case 2: {
        const auto flags = static_cast<std::uint32_t>(workload.below(8));
        REQUIRE(platter_engine_set_cache(ours.get(), flags, now) == PLATTER_OK);
        theirs.set_cache({(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0}, now);
        mine = now;
        break;
      }
      default: {
        platter_completion c{};
        REQUIRE(platter_engine_service(ours.get(), &r, now, &c) == PLATTER_OK);
        REQUIRE(same(c, theirs.service(request_of(r), now)));
        mine = c.completion_ns;
      }
    }
    now = mine + workload.below(3'000'000);
  }
}

TEST_CASE("a rollback repeats to the last bit, in another engine too") {
  const model::DriveModel model =
      virtual_drive::catalogue_model(virtual_drive::catalogue().front());
  const std::string bytes = emit_table::compile_table(model);
  const TableHandle table = opened(bytes), equal_table = opened(bytes);
  const EngineHandle one = created(table), other = created(equal_table);
  const std::size_t size = platter_engine_checkpoint_size(one.get());
  std::vector<char> checkpoint(size);
  Workload workload(model.identity.blocks, 4);
  std::int64_t now = 0;
  const auto play = [&](platter_engine* engine, const std::vector<platter_request>& requests) {
    std::vector<std::int64_t> times;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      platter_completion c{};
      REQUIRE(platter_engine_submit(engine, &requests[i],
                                    now + static_cast<std::int64_t>(i) * 100'000) !=
              PLATTER_BAD_ARGUMENT);
      if (i % 3 == 2 && platter_engine_next_completion(engine, &c) == PLATTER_OK)
        times.push_back(c.completion_ns);
    }
    platter_completion c{};
    while (platter_engine_next_completion(engine, &c) == PLATTER_OK)
      times.push_back(c.completion_ns);
    return times;
  };
  for (int round = 0; round < 500; ++round) {
    std::vector<platter_request> requests(12);
    for (auto& r : requests) r = workload.next();
    REQUIRE(platter_engine_submit(one.get(), &requests[0], now) == PLATTER_OK);  // one in flight
    REQUIRE(platter_engine_save(one.get(), checkpoint.data(), size) == PLATTER_OK);
    const auto first = play(one.get(), requests);
    REQUIRE(platter_engine_restore(one.get(), checkpoint.data(), size) == PLATTER_OK);
    REQUIRE(play(one.get(), requests) == first);
    REQUIRE(platter_engine_restore(other.get(), checkpoint.data(), size) == PLATTER_OK);
    REQUIRE(play(other.get(), requests) == first);
    now = first.back() + workload.below(10'000'000);
  }
}

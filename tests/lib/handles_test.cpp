// Handles that were closed, closed twice, or closed while another thread is in a call; engines that
// several threads call at once.

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "tables.h"

using namespace platter;
using namespace platter::lib::testing;

namespace {

constexpr int kThreads = 8;

void in_threads(const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

bool says(const std::string& words) {
  return std::string(platter_last_error()).find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("eight threads on one engine: a call is served whole, or refused whole") {
  const TableHandle table = opened(emit_table::compile_table(drive_model()));
  const EngineHandle engine = created(table);
  const std::size_t size = platter_engine_checkpoint_size(engine.get());
  std::atomic<std::uint64_t> served{0}, strange{0};
  in_threads([&](int thread) {
    std::vector<char> memory(size);
    for (std::uint32_t i = 0; i < 3000; ++i) {
      const platter_request r = request((i * 37 + thread) % 6000, 1 + i % 8,
                                        i % 4 == 0 ? PLATTER_WRITE : 0, i);
      platter_completion c{};
      std::int64_t time_ns = 0;
      std::size_t count = 0;
      std::array<platter_extent, 4> extents{};
      const std::array<platter_status, 5> answers = {
          platter_engine_service(engine.get(), &r, i, &c),
          platter_engine_submit(engine.get(), &r, i),
          platter_engine_next_completion_time(engine.get(), &time_ns),
          platter_engine_next_completion(engine.get(), &c),
          i % 16 == 0 ? platter_engine_dirty(engine.get(), i, extents.data(), 4, &count)
                      : PLATTER_OK};
      for (const platter_status answer : answers)
        if (answer == PLATTER_BUSY)
          strange += says("another thread") ? 0 : 1;
        else
          strange += answer < 0 ? 1 : 0;
      served += answers[0] == PLATTER_OK ? 1 : 0;
      if (i % 32 == 0 &&
          platter_engine_snapshot(engine.get(), memory.data(), memory.size()) == PLATTER_OK &&
          platter_engine_roll_back(engine.get(), memory.data(), size) < PLATTER_BUSY)
        ++strange;
    }
  });
  CHECK(strange == 0);
  CHECK(served > 0);
  CHECK(platter_engine_outstanding(engine.get()) <= 64);
}

TEST_CASE("eight threads that wait for their turn have all of their requests served, once") {
  const TableHandle table = opened(emit_table::compile_table(drive_model()));
  const EngineHandle engine = created(table);
  constexpr std::uint32_t kEach = 500;
  std::array<std::atomic<int>, kThreads * kEach> completions{};
  in_threads([&](int thread) {
    for (std::uint32_t i = 0; i < kEach; ++i) {
      const std::uint32_t tag = static_cast<std::uint32_t>(thread) * kEach + i;
      const platter_request r = request(tag % 6000, 1, 0, tag);
      platter_completion c{};
      platter_status status = PLATTER_BUSY;
      while ((status = platter_engine_service(engine.get(), &r, 0, &c)) == PLATTER_BUSY)
        std::this_thread::yield();
      if (status == PLATTER_OK && c.tag == tag) ++completions[c.tag];
    }
  });
  for (const auto& count : completions) REQUIRE(count == 1);
}

TEST_CASE("any number of threads ask one table") {
  const TableHandle table = opened(emit_table::compile_table(drive_model()));
  std::atomic<int> wrong{0};
  in_threads([&](int thread) {
    for (std::uint64_t lbn = static_cast<std::uint64_t>(thread); lbn < 6000; lbn += kThreads) {
      platter_place place{};
      std::uint64_t back = 0;
      if (platter_place_of_lbn(table.get(), lbn, &place) != PLATTER_OK ||
          platter_lbn_of_place(table.get(), place.cylinder, place.head, place.sector, &back) !=
              PLATTER_OK ||
          back != lbn)
        ++wrong;
    }
    for (int i = 0; i < 50; ++i) created(table);
  });
  CHECK(wrong == 0);
}

TEST_CASE("an engine is destroyed while other threads call it, and twice") {
  const TableHandle table = opened(emit_table::compile_table(drive_model()));
  for (int round = 0; round < 50; ++round) {
    platter_engine* const engine = created(table).release();
    std::atomic<int> running{0}, strange{0};
    in_threads([&](int thread) {
      ++running;
      if (thread < 2) {  // two of them destroy it
        while (running < kThreads) std::this_thread::yield();
        platter_engine_destroy(engine);
        return;
      }
      platter_completion c{};
      const platter_request r = request(5, 1);
      platter_status status = PLATTER_OK;
      while ((status = platter_engine_service(engine, &r, 0, &c)) == PLATTER_OK ||
             status == PLATTER_BUSY) {
      }
      if (status != PLATTER_BAD_ARGUMENT || !says("destroyed")) ++strange;
    });
    REQUIRE(strange == 0);
  }
}

TEST_CASE("handles that were closed are known for it") {
  platter_table* table = opened(emit_table::compile_table(drive_model())).release();
  platter_engine* const engine = [&] {
    platter_engine* made = nullptr;
    REQUIRE(platter_engine_create(table, &made) == PLATTER_OK);
    return made;
  }();
  platter_table_close(table);
  platter_table_close(table);
  platter_place place{};
  CHECK(platter_place_of_lbn(table, 0, &place) == PLATTER_BAD_ARGUMENT);
  CHECK(says("closed"));
  platter_info info{};
  info.struct_size = sizeof info;
  CHECK(platter_table_info(table, &info) == PLATTER_BAD_ARGUMENT);
  platter_engine* other = nullptr;
  CHECK(platter_engine_create(table, &other) == PLATTER_BAD_ARGUMENT);
  CHECK(other == nullptr);

  // The engine goes on without its table's handle.
  platter_completion c{};
  const platter_request r = request(5, 1);
  CHECK(platter_engine_service(engine, &r, 0, &c) == PLATTER_OK);
  platter_engine_destroy(engine);
  platter_engine_destroy(engine);
  CHECK(platter_engine_service(engine, &r, 0, &c) == PLATTER_BAD_ARGUMENT);
  CHECK(says("destroyed"));
  CHECK(platter_engine_checkpoint_size(engine) == 0);
  CHECK(platter_engine_outstanding(engine) == 0);
}

TEST_CASE("a handle serves again only after many others were closed") {
  const TableHandle table = opened(emit_table::compile_table(drive_model()));
  platter_engine* const first = created(table).release();
  platter_engine_destroy(first);
  platter_completion c{};
  const platter_request r = request(5, 1);
  for (int i = 0; i < 1000; ++i) {
    const EngineHandle engine = created(table);
    REQUIRE(engine.get() != first);
    REQUIRE(platter_engine_service(first, &r, 0, &c) == PLATTER_BAD_ARGUMENT);
  }
  bool again = false;  // and handles do not pile up
  for (int i = 0; i < 2000 && !again; ++i) again = created(table).get() == first;
  CHECK(again);
}

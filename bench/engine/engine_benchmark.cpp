// How fast the engine is: Google Benchmark, one core. The drive is the catalogue's Quantum Atlas
// 10K unless --model=FILE names another one; docs/performance.md has the figures.

#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "banded_drive.h"
#include "emit/table/table.h"
#include "engine/engine.h"
#include "engine/tables.h"
#include "lib/platter.h"
#include "model/file.h"
#include "model/json.h"
#include "nested_drive.h"
#include "trace/trace.h"
#include "virtual_drive/catalogue.h"

namespace {

using namespace platter;
using engine::CacheSettings;
using engine::Engine;
using engine::Request;

constexpr std::size_t kRequests = 1'000'000;

// Two thirds reads, 2 to 64 blocks, anywhere.
std::vector<Request> random_requests(std::uint64_t blocks, std::size_t count = kRequests) {
  std::mt19937_64 random(20261121);
  std::vector<Request> requests(count);
  for (Request& request : requests) {
    request.blocks = 2 + static_cast<std::uint32_t>(random() % 63);
    request.lbn = random() % (blocks - request.blocks);
    request.write = random() % 3 == 0;
  }
  return requests;
}

std::shared_ptr<const engine::Tables> tables_of(const model::DriveModel& model) {
  return std::make_shared<const engine::Tables>(model);
}

void set_caches(Engine& engine, bool on) {
  if (!on) engine.set_cache({.read_cache = false, .write_cache = false, .read_ahead = false}, 0);
}

void service(benchmark::State& state, const std::shared_ptr<const engine::Tables>& tables,
             bool caches) {
  Engine engine(tables);
  const auto requests = random_requests(engine.blocks());
  for (auto _ : state) {
    engine.reset(0);
    set_caches(engine, caches);
    Nanoseconds now = 0;
    for (const Request& request : requests) now = engine.service(request, now).completion_ns;
    benchmark::DoNotOptimize(now);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * requests.size()));
}

// A trace at its own times.
void trace_speed(benchmark::State& state, const std::shared_ptr<const engine::Tables>& tables,
                 const trace::Trace& trace, bool caches) {
  Engine engine(tables);
  std::vector<std::pair<Request, Nanoseconds>> requests;
  for (const trace::Request& r : trace.requests) {
    Request request;
    request.lbn = r.lbn;
    request.blocks = r.blocks;
    request.write = r.write;
    requests.push_back({request, r.arrival_ns});
  }
  for (auto _ : state) {
    engine.reset(0);
    set_caches(engine, caches);
    Nanoseconds sum = 0;
    for (const auto& [request, arrival] : requests)
      sum += engine.service(request, arrival).completion_ns - arrival;
    benchmark::DoNotOptimize(sum);
    state.counters["mean_ms"] = static_cast<double>(sum) / 1e6 / double(requests.size());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * requests.size()));
}

// Each service timed by itself, as an emulator sees it; what reading the clock takes is in it.
void service_latency(benchmark::State& state, const std::shared_ptr<const engine::Tables>& tables,
                     bool caches) {
  using Clock = std::chrono::steady_clock;
  Engine engine(tables);
  const auto requests = random_requests(engine.blocks());
  std::vector<std::int64_t> took(requests.size());
  for (auto _ : state) {
    engine.reset(0);
    set_caches(engine, caches);
    Nanoseconds now = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto begin = Clock::now();
      now = engine.service(requests[i], now).completion_ns;
      took[i] = std::chrono::nanoseconds(Clock::now() - begin).count();
    }
  }
  std::ranges::sort(took);
  const auto quantile = [&](double q) {
    return static_cast<double>(took[static_cast<std::size_t>(q * double(took.size()))]);
  };
  state.counters["p50_ns"] = quantile(0.5);
  state.counters["p99.9_ns"] = quantile(0.999);
  state.counters["max_ns"] = static_cast<double>(took.back());
}

void lbn_to_pbn(benchmark::State& state, const std::shared_ptr<const engine::Tables>& tables) {
  const engine::LayoutMap& layout = tables->layout;
  const auto requests = random_requests(layout.blocks());
  for (auto _ : state)
    for (const Request& request : requests) {
      auto pbn = layout.pbn_of_lbn(request.lbn);
      benchmark::DoNotOptimize(pbn);
    }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * requests.size()));
}

void pbn_to_lbn(benchmark::State& state, const std::shared_ptr<const engine::Tables>& tables) {
  const engine::LayoutMap& layout = tables->layout;
  std::vector<engine::Pbn> places;
  for (const Request& request : random_requests(layout.blocks()))
    places.push_back(layout.pbn_of_lbn(request.lbn));
  for (auto _ : state)
    for (const engine::Pbn& place : places) {
      auto lbn = layout.lbn_of_pbn(place);
      benchmark::DoNotOptimize(lbn);
    }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * places.size()));
}

// Always 32 outstanding: each completion is followed by the next request at once.
void depth_32(benchmark::State& state, const std::shared_ptr<const engine::Tables>& tables,
              engine::Scheduler scheduler, bool caches) {
  Engine engine(tables);
  const auto requests = random_requests(engine.blocks(), 200'000);
  for (auto _ : state) {
    engine.reset(0);
    engine.set_queue({scheduler, 0, 0});
    set_caches(engine, caches);
    for (std::size_t i = 0; i < 32; ++i) engine.submit(requests[i], 0);
    for (std::size_t i = 32; i < requests.size(); ++i)
      engine.submit(requests[i], engine.next_completion()->completion_ns);
    while (engine.next_completion()) {
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * requests.size()));
}

// One copy out and one copy back, with 32 requests outstanding.
void checkpoint_and_rollback(benchmark::State& state,
                             const std::shared_ptr<const engine::Tables>& tables) {
  Engine engine(tables);
  engine.set_queue({engine::Scheduler::sptf, 0, 0});
  for (const Request& request : random_requests(engine.blocks(), 32)) engine.submit(request, 0);
  engine.next_completion_time();
  std::vector<std::byte> kept(engine.checkpoint().size());
  for (auto _ : state) {
    std::memcpy(kept.data(), engine.checkpoint().data(), kept.size());
    benchmark::ClobberMemory();
    engine.roll_back(kept);
    benchmark::ClobberMemory();
  }
  state.counters["state_bytes"] = static_cast<double>(kept.size());
}

void load_table(benchmark::State& state, const model::DriveModel& model) {
  const std::string text = emit_table::compile_table(model);
  const std::vector<std::uint64_t> aligned = [&] {
    std::vector<std::uint64_t> words(text.size() / 8);
    std::memcpy(words.data(), text.data(), text.size());
    return words;
  }();
  for (auto _ : state) {
    auto table = emit_table::read_table(std::as_bytes(std::span(aligned)), "table");
    benchmark::DoNotOptimize(table);
  }
  state.counters["table_bytes"] = static_cast<double>(text.size());
}

// From a file, as every user of libplatter does: read, verified, copied.
void open_table(benchmark::State& state, const model::DriveModel& model) {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("engine_benchmark.{}.ptab", ::getpid()))
          .string();
  model::write_file(path, emit_table::compile_table(model));
  for (auto _ : state) {
    platter_table* table = nullptr;
    if (platter_table_open(path.c_str(), &table) != PLATTER_OK)
      state.SkipWithError(platter_last_error());
    platter_table_close(table);
  }
  std::filesystem::remove(path);
}

// libplatter's engine over a model, and its table.
struct LibraryDrive {
  explicit LibraryDrive(const model::DriveModel& model) {
    const std::string bytes = emit_table::compile_table(model);
    if (platter_table_open_memory(bytes.data(), bytes.size(), &table) == PLATTER_OK)
      platter_engine_create(table, &engine);
  }
  ~LibraryDrive() {
    platter_engine_destroy(engine);
    platter_table_close(table);
  }
  LibraryDrive(const LibraryDrive&) = delete;
  LibraryDrive& operator=(const LibraryDrive&) = delete;

  platter_table* table = nullptr;
  platter_engine* engine = nullptr;
};

platter_request library_request(const Request& request) {
  platter_request r{};
  r.lbn = request.lbn;
  r.blocks = request.blocks;
  r.flags = request.write ? PLATTER_WRITE : 0;
  return r;
}

// As service(), caches off, through the C interface.
void library_service(benchmark::State& state, const model::DriveModel& model) {
  const LibraryDrive drive(model);
  platter_engine_set_cache(drive.engine, 0, 0);
  std::vector<platter_request> requests;
  for (const Request& request : random_requests(model.identity.blocks))
    requests.push_back(library_request(request));
  for (auto _ : state) {
    platter_engine_reset(drive.engine, 0);
    platter_completion done{};
    for (const platter_request& request : requests)
      platter_engine_service(drive.engine, &request, done.completion_ns, &done);
    if (done.completion_ns == 0) state.SkipWithError(platter_last_error());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * requests.size()));
}

// As checkpoint_and_rollback(), through the C interface.
void library_checkpoint(benchmark::State& state, const model::DriveModel& model,
                        decltype(platter_engine_save)* save,
                        decltype(platter_engine_restore)* restore) {
  const LibraryDrive drive(model);
  for (const Request& request : random_requests(model.identity.blocks, 32)) {
    const platter_request r = library_request(request);
    platter_engine_submit(drive.engine, &r, 0);
  }
  std::vector<std::byte> kept(platter_engine_checkpoint_size(drive.engine));
  for (auto _ : state)
    if (save(drive.engine, kept.data(), kept.size()) != PLATTER_OK ||
        restore(drive.engine, kept.data(), kept.size()) != PLATTER_OK)
      state.SkipWithError(platter_last_error());
  state.counters["state_bytes"] = static_cast<double>(kept.size());
}

void add(const std::string& name, const std::function<void(benchmark::State&)>& function) {
  benchmark::RegisterBenchmark(name.c_str(), function)->Unit(benchmark::kNanosecond);
}

void add_drive(const std::string& name, const model::DriveModel& model) {
  const auto tables = tables_of(model);
  for (const bool caches : {false, true}) {
    const std::string suffix = caches ? "/caches on" : "/caches off";
    add(name + "/service" + suffix, [=](auto& s) { service(s, tables, caches); });
    add(name + "/latency" + suffix, [=](auto& s) { service_latency(s, tables, caches); });
  }
  add(name + "/LBN to PBN", [=](auto& s) { lbn_to_pbn(s, tables); });
  add(name + "/PBN to LBN", [=](auto& s) { pbn_to_lbn(s, tables); });
  add(name + "/depth 32/fcfs",
      [=](auto& s) { depth_32(s, tables, engine::Scheduler::fcfs, false); });
  add(name + "/depth 32/sptf",
      [=](auto& s) { depth_32(s, tables, engine::Scheduler::sptf, false); });
  add(name + "/depth 32/sptf, caches on",
      [=](auto& s) { depth_32(s, tables, engine::Scheduler::sptf, true); });
  add(name + "/checkpoint and rollback", [=](auto& s) { checkpoint_and_rollback(s, tables); });
  add(name + "/library/service/caches off", [=](auto& s) { library_service(s, model); });
  add(name + "/library/save and restore",
      [=](auto& s) { library_checkpoint(s, model, platter_engine_save, platter_engine_restore); });
  add(name + "/library/snapshot and rollback", [=](auto& s) {
    library_checkpoint(s, model, platter_engine_snapshot, platter_engine_roll_back);
  });
  add(name + "/load and verify", [=](auto& s) { load_table(s, model); });
  add(name + "/open", [=](auto& s) { open_table(s, model); });
}

// A buffer of thousands of segments in which written data wait.
void add_large_cache(const std::string& name, model::DriveModel model) {
  for (const int segments : {32, 1024, 4096, 16384}) {
    model.cache.segments.value = segments;
    model.cache.segment_blocks.value = 128;
    model.cache.write_back_level.value = 2;
    model.cache.destage_behind.value = 1;
    model.cache.destage_idle.value = 5;
    model.cache.read_hit_on_written.value = 1;
    const auto tables = tables_of(model);
    add(fmt::format("{}/service/{} segments, destage behind", name, segments),
        [=](auto& s) { service(s, tables, true); });
  }
}

void add_trace(const std::string& name, const model::DriveModel& model, const std::string& file) {
  const auto tables = tables_of(model);
  const trace::Trace trace = trace::read_trace_file(file);
  for (const bool caches : {false, true})
    add(name + "/trace" + (caches ? "/caches on" : "/caches off"),
        [=](auto& s) { trace_speed(s, tables, trace, caches); });
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const std::string trace_option = "--trace=";
  std::vector<std::string> models;
  std::string trace;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with(trace_option))
      trace = argument.substr(trace_option.size());
    else
      models.push_back(argument);
  }
  if (models.empty()) {
    const model::DriveModel atlas =
        virtual_drive::catalogue_model(*virtual_drive::find_in_catalogue("quantum-atlas10k"));
    add_drive("atlas 10K", atlas);
    add_drive("nested, 3400 slips", bench::nested_drive(atlas));
    add_large_cache("atlas 10K", atlas);
    add_drive("20 TB", bench::banded_drive(atlas, {}));
    add_drive("20 TB, 60000 slips", bench::banded_drive(atlas, {.single_slips = 60'000}));
    add_drive("20 TB, bands are zones", bench::banded_drive(atlas, {.bands_are_zones = true}));
  }
  for (const std::string& file : models) {
    const model::DriveModel model = model::load_model(file);
    const std::string name = model.identity.name.empty() ? file : model.identity.name;
    if (trace.empty())
      add_drive(name, model);
    else
      add_trace(name, model, trace);
  }
  benchmark::RunSpecifiedBenchmarks();
}

// Reads and writes a million requests in every format, from and to memory.
#include <benchmark/benchmark.h>

#include <array>
#include <random>

#include "trace/trace.h"

namespace {

using namespace platter::trace;

constexpr std::size_t kRequests = 1'000'000;

const Trace& requests(Kind kind) {
  static const std::array<Trace, 2> traces = [] {
    std::mt19937_64 random(1);
    Trace open{.kind = Kind::open};
    platter::Nanoseconds now_ns = 0;
    for (std::size_t i = 0; i < kRequests; ++i) {
      now_ns += static_cast<platter::Nanoseconds>(random() % 20'000'000);
      open.requests.push_back(
          {.arrival_ns = i == 0 ? 0 : now_ns,
           .service_ns = static_cast<platter::Nanoseconds>(1 + random() % 15'000'000),
           .lbn = random() % 17'000'000,
           .blocks = static_cast<std::uint32_t>(1 + random() % 99),
           .write = random() % 3 == 0});
    }
    return std::array{open, converted(open, Kind::closed)};
  }();
  return traces[kind == Kind::open ? 0 : 1];
}

std::string written(Format format, const char* name) {
  std::string bytes;
  const auto writer = create_trace(string_sink(bytes), name, format);
  writer->write(requests(writer->kind()).requests);
  writer->finish();
  return bytes;
}

void measure_reading(benchmark::State& state, Format format, const char* name) {
  const std::string bytes = written(format, name);
  std::array<Request, 1024> batch;
  for (auto _ : state) {
    const auto reader = open_trace(memory_source(bytes), name, {.format = format});
    std::size_t count = 0;
    while (const std::size_t got = reader->read(batch)) count += got;
    if (count != kRequests) state.SkipWithError("requests are missing");
  }
  state.counters["MB"] = static_cast<double>(bytes.size()) / 1e6;
}

void measure_writing(benchmark::State& state, Format format, const char* name) {
  for (auto _ : state) benchmark::DoNotOptimize(written(format, name));
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::string& name : written_format_names()) {
    const Format format = format_of(name);
    benchmark::RegisterBenchmark(("read/" + name).c_str(), measure_reading, format, "t")
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("write/" + name).c_str(), measure_writing, format, "t")
        ->Unit(benchmark::kMillisecond);
  }
  for (const char* name : {"t.gz", "t.zst"})
    benchmark::RegisterBenchmark((std::string("read/ascii ") + (name + 1)).c_str(), measure_reading,
                                 Format::ascii, name)
        ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}

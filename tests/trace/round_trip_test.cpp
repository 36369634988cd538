#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "catch.h"
#include "model/error.h"
#include "trace/random_trace.h"
#include "trace/trace.h"

using namespace platter;
using namespace platter::trace;

namespace {

std::string written(const Trace& trace, Format format, std::uint32_t block_bytes) {
  std::string bytes;
  const auto writer = create_trace(string_sink(bytes), "t", format, {.block_bytes = block_bytes});
  copy(*reader_of(trace), *writer);
  writer->finish();
  return bytes;
}

Trace read_back(const std::string& bytes, const Reading& reading) {
  return read_trace(*open_trace(memory_source(bytes), "t", reading));
}

// A completion is found by where its request lies: two at once on one place are told apart by no
// one.
bool overlaps(const Trace& trace) {
  std::set<std::pair<std::uint64_t, bool>> begins;
  for (const Request& request : trace.requests)
    if (!begins.insert({request.lbn, request.write}).second) return true;
  return false;
}

}  // namespace

TEST_CASE("what a format can hold comes back exactly, whatever the block size") {
  std::mt19937_64 random(20261121);
  for (const Holds& holds : kHolds)
    for (int round = 0; round < 60; ++round) {
      const std::uint32_t block_bytes = 512u << random() % 4;
      const Trace trace = random_trace(random, holds);
      const bool events = holds.format == Format::blktrace || holds.format == Format::blkparse;
      if (events && overlaps(trace)) continue;
      CAPTURE(name_of(holds.format), round, block_bytes);
      const std::string bytes = written(trace, holds.format, block_bytes);
      for (const Format format : {holds.format, Format::detect}) {
        const Trace back = read_back(bytes, {.format = format, .block_bytes = block_bytes});
        REQUIRE(back.kind == trace.kind);
        REQUIRE(back.requests.size() == trace.requests.size());
        for (std::size_t i = 0; i < trace.requests.size(); ++i) {
          CAPTURE(i);
          REQUIRE(back.requests[i] == trace.requests[i]);
        }
      }
      // And a second time nothing changes.
      REQUIRE(written(read_back(bytes, {.block_bytes = block_bytes}), holds.format, block_bytes) ==
              bytes);
    }
}

TEST_CASE("a trace is read in any portions") {
  std::mt19937_64 random(7);
  for (const Holds& holds : kHolds) {
    const std::string bytes = written(random_trace(random, holds), holds.format, 512);
    const Trace whole = read_back(bytes, {});
    for (const std::size_t portion : {1u, 3u, 7u}) {
      const auto reader = open_trace(memory_source(bytes), "t", {});
      std::vector<Request> out(portion), all;
      while (const std::size_t got = reader->read(out))
        all.insert(all.end(), out.begin(), out.begin() + got);
      CHECK(all == whole.requests);
      CHECK(reader->read(out) == 0);
    }
  }
}

TEST_CASE("a closed trace becomes open and an open one closed as a stream, as in memory") {
  std::mt19937_64 random(9);
  Trace closed = random_trace(random, {Format::validate, 1, false, true, false});
  for (Request& request : closed.requests) request.service_ns = request.service_ns.value_or(4'000);
  const Trace open = converted(closed, Kind::open);
  REQUIRE(open.requests.size() == closed.requests.size());
  Nanoseconds now_ns = 0;
  for (std::size_t i = 0; i < open.requests.size(); ++i) {
    CHECK(open.requests[i].arrival_ns == now_ns);
    now_ns += *closed.requests[i].service_ns + closed.requests[i].think_ns;
  }
  const Trace again = converted(open, Kind::closed);
  for (std::size_t i = 0; i + 1 < again.requests.size(); ++i)
    CHECK(again.requests[i].think_ns ==
          *closed.requests[i].service_ns + closed.requests[i].think_ns);
}

TEST_CASE("a writer that does not come to its end leaves nothing") {
  const auto folder = std::filesystem::temp_directory_path() /
                      fmt::format("platter-trace-{}", ::getpid());
  std::filesystem::create_directory(folder);
  for (const char* name : {"t", "t.gz", "t.zst"}) {
    std::mt19937_64 random(1);
    const Trace trace = random_trace(random, kHolds[0]);
    create_trace(folder / name, Format::ascii)->write(trace.requests);
    CHECK(std::filesystem::is_empty(folder));
    const auto writer = create_trace(folder / name, Format::ascii);
    writer->write(trace.requests);
    writer->finish();
    CHECK(read_trace_file(folder / name).requests == trace.requests);
    std::filesystem::remove(folder / name);
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("a writer refuses what its format cannot say") {
  const auto refuses = [](Format format, const Request& request, std::uint32_t block_bytes = 512) {
    const Trace trace{.requests = {request}};
    CHECK_THROWS_AS(written(trace, format, block_bytes), Error);
  };
  refuses(Format::hpl, {.device = 256});
  refuses(Format::hpl, {.lbn = std::uint64_t{1} << 32});
  refuses(Format::hpl, {.arrival_ns = kSecond << 32});
  refuses(Format::blktrace, {.blocks = 1 << 23});
  refuses(Format::spc, {.lbn = 1}, 520);
  refuses(Format::msr, {.lbn = ~std::uint64_t{0}});
  refuses(Format::detect, {});
}

// A trace format is one source file and one row of the list: with these two alone it has a name, is
// detected, read, written, linted and fuzzed.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "fuzz/one_input.h"
#include "trace/lint.h"
#include "trace/trace.h"

using namespace platter;
using namespace platter::trace;

namespace {

const std::string kOwnTrace =
    "own format\n"
    "own 0.25 W 2048 16\n"
    "own 1.5 FLUSH 0 0\n"
    "own 2 R 900 8\n";

}  // namespace

TEST_CASE("a format of one's own is known by its name and by its beginning") {
  CHECK(std::ranges::count(format_names(), "own") == 1);
  CHECK(std::ranges::count(written_format_names(), "own") == 1);
  const auto reader = open_trace(memory_source(kOwnTrace), "t", {});
  const Trace trace = read_trace(*reader);
  CHECK(reader->source().format == format_of("own"));
  REQUIRE(trace.requests.size() == 2);
  CHECK(trace.requests[0].lbn == 2048);
  CHECK(trace.requests[1].arrival_ns == 2'000'000);
}

TEST_CASE("what is written in it comes back, and lint tells it") {
  const Trace trace = read_trace(*open_trace(memory_source(kOwnTrace), "t", {}));
  std::string bytes;
  const auto writer = create_trace(string_sink(bytes), "t", format_of("own"));
  copy(*reader_of(trace), *writer);
  writer->finish();
  const Lint found = lint(memory_source(bytes), "t", {}, 5);
  CHECK(found.errors == 0);
  CHECK(found.requests == 2);
  CHECK(nlohmann::json::parse(to_json(found))["format"] == "own");
}

TEST_CASE("it keeps the promises of every reader") {
  for (std::size_t at = 0; at < kOwnTrace.size(); ++at)
    for (const char damage : {'\0', '\n', ' ', '9', '-'}) {
      std::string damaged = kOwnTrace;
      damaged[at] = damage;
      try_input(damaged, format_of("own"));
      try_input(damaged.substr(0, at), Format::detect);
    }
}

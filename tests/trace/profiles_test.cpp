#include "trace/profiles.h"

#include <map>
#include <set>

#include "catch.h"
#include "model/error.h"
#include "sampling.h"
#include "trace/workload.h"

using namespace platter;
using namespace platter::trace;
using namespace platter::trace::testing;

namespace {

constexpr std::uint64_t kBlocks = 40'000'000;

Trace made(const std::string& name, std::uint64_t seed = 1) {
  return generate({.profile = profile(name), .blocks = kBlocks, .seed = seed});
}

struct Requests {
  double writes = 0, sequential = 0;
  std::map<std::uint32_t, int> sizes;
};

Requests counted_requests(const Trace& trace) {
  Requests counts;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const Request& request = trace.requests[i];
    REQUIRE(request.lbn + request.blocks <= kBlocks);
    counts.writes += request.write;
    ++counts.sizes[request.blocks];
    if (i == 0) continue;
    const Request& before = trace.requests[i - 1];
    counts.sequential += request.lbn == before.lbn + before.blocks;
  }
  return counts;
}

}  // namespace

TEST_CASE("the eighteen profiles of Wu 2016 hold what the paper states of them") {
  int found = 0;
  for (const Profile& each : profiles()) {
    if (each.source.find("Wu 2016") == std::string::npos) continue;
    ++found;
    INFO(each.name);
    const auto says = [&](const char* word) { return each.name.find(word) != std::string::npos; };
    const Trace trace = made(each.name);
    const auto n = static_cast<double>(trace.requests.size());
    CHECK(trace.kind == Kind::closed);
    for (const Request& request : trace.requests) REQUIRE(request.think_ns == 0);
    const Requests counts = counted_requests(trace);
    if (says("read-write"))
      CHECK(is_share(counts.writes, n, 0.5));
    else
      CHECK(counts.writes == (says("write") ? n : 0));
    if (says("small"))
      CHECK(counts.sizes == std::map<std::uint32_t, int>{{8, static_cast<int>(n)}});
    if (says("large"))
      CHECK(counts.sizes == std::map<std::uint32_t, int>{{256, static_cast<int>(n)}});
    if (says("/uniform")) {
      CHECK(counts.sizes.size() == 32);
      for (const auto& [blocks, times] : counts.sizes) {
        CHECK(blocks % 8 == 0);
        CHECK(blocks <= 256);
        CHECK(is_share(times, n, 1.0 / 32));
      }
    }
    // Chance makes one request in 40,000,000 sequential.
    CHECK(is_share(counts.sequential, n - 1, says("mixed") ? 0.2 : 1.0 / kBlocks));
  }
  CHECK(found == 18);
}

TEST_CASE("the profiles ask for what the paper's drive did in three minutes") {
  CHECK(profile("random/read/small").requests == 31095);
  CHECK(profile("mixed / read-write / uniform").requests == 33930);
}

TEST_CASE(
    "no two workloads share a name, and one that there is not is an error that says where they "
    "are listed") {
  std::set<std::string> names;
  for (const Profile& each : profiles()) CHECK(names.insert(each.name).second);
  CHECK_THROWS_WITH(profile("radnom"),
                    "there is no workload \"radnom\"; did you mean random? platter trace generate "
                    "--list names them");
}

TEST_CASE("the lists name every workload") {
  const std::string text = list_text(profiles()), json = list_json(profiles());
  for (const Profile& each : profiles()) {
    CHECK(text.find("  " + each.name + " ") != std::string::npos);
    CHECK(json.find("\"name\": \"" + each.name + "\"") != std::string::npos);
  }
}

TEST_CASE("sequential requests follow one another, from the end again at the beginning") {
  const Trace trace = generate({.profile = profile("sequential"), .blocks = 1000});
  REQUIRE(trace.requests.size() == 5000);
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    CHECK(trace.requests[i].lbn == i % 7 * 128);
    CHECK(trace.requests[i].blocks == 128);
    CHECK_FALSE(trace.requests[i].write);
  }
}

TEST_CASE("four streams take turns, each in its own quarter") {
  const Trace trace = made("streams");
  for (std::size_t i = 0; i < trace.requests.size(); ++i)
    CHECK(trace.requests[i].lbn == i % 4 * (kBlocks / 4) + i / 4 * 128);
}

TEST_CASE("nine of ten local requests lie within 500 blocks of the one before") {
  const Trace trace = made("local");
  double local = 0;
  for (std::size_t i = 1; i < trace.requests.size(); ++i) {
    const auto from = static_cast<std::int64_t>(trace.requests[i - 1].lbn);
    local += std::abs(static_cast<std::int64_t>(trace.requests[i].lbn) - from) <= 500;
  }
  CHECK(is_share(local, static_cast<double>(trace.requests.size() - 1), 0.9));
}

TEST_CASE(
    "80 % of the requests lie in the middle fifth of the drive, uniformly, the others beside") {
  const Trace trace = made("hot-spot");
  const auto n = static_cast<double>(trace.requests.size());
  double hot = 0, writes = 0, place = 0;
  for (const Request& request : trace.requests) {
    const bool inside = request.lbn >= kBlocks * 2 / 5 && request.lbn + 8 <= kBlocks * 3 / 5;
    const bool outside = request.lbn + 8 <= kBlocks * 2 / 5 || request.lbn >= kBlocks * 3 / 5;
    CHECK(inside != outside);
    hot += inside;
    writes += request.write;
    if (inside) place += static_cast<double>(request.lbn) / kBlocks;
  }
  CHECK(is_share(hot, n, 0.8));
  CHECK(is_share(writes, n, 1 / 3.0));
  CHECK(is_mean(place, hot, 0.5, 0.2 / std::sqrt(12.0)));
}

TEST_CASE("64 writes arrive at once, the next 64 a second later") {
  const Trace trace = made("write-burst");
  CHECK(trace.kind == Kind::open);
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    CHECK(trace.requests[i].arrival_ns == static_cast<Nanoseconds>(i / 64) * kSecond);
    CHECK(trace.requests[i].write);
    CHECK(trace.requests[i].blocks == 16);
  }
}

TEST_CASE("a seed is the same trace for ever") {
  // The first seven are of the versions before the workloads became profiles.
  const auto of = [](const char* name, std::uint64_t seed) {
    return generate({.profile = profile(name), .blocks = 4'000'000, .seed = seed});
  };
  CHECK(digest(of("random", 1), Format::ascii) == 0xc868067c5c1d09bc);
  CHECK(digest(of("mixed", 1), Format::ascii) == 0xa9475100fcb1e858);
  CHECK(digest(of("mixed", 7), Format::validate) == 0xef3f4b336ca3503d);
  CHECK(digest(
            generate(
                {.profile = profile("mixed"), .blocks = 4'000'000, .block_bytes = 4096, .seed = 7}),
            Format::ascii) == 0x8e877e8b2f7ea771);
  CHECK(digest(generate({.profile = profile("mixed"),
                         .blocks = 4'000'000,
                         .seed = 9,
                         .writes = {{1000, 1999}, {5000, 5023}}}),
               Format::ascii) == 0x4584050674b2c13);
  CHECK(digest(generate({.profile = profile("mixed"),
                         .blocks = 4'000'000,
                         .seed = 9,
                         .reads_only = true,
                         .within = {{100, 400}, {10000, 99999}}}),
               Format::ascii) == 0xf3f2ae9dcdf0996a);
  CHECK(digest(generate({.profile = profile("random"),
                         .blocks = 123456789,
                         .requests = 20000,
                         .seed = 3,
                         .within = {{1000, 9999999}},
                         .writes = {{2000, 3000}}}),
               Format::ascii) == 0xc09e6000399f02ce);
  CHECK(digest(of("random/read-write/uniform", 1), Format::validate) == 0xec938fb41f0e81a8);
  CHECK(digest(of("mixed/read-write/uniform", 1), Format::validate) == 0x42f25172ff7d0548);
  CHECK(digest(of("local", 1), Format::validate) == 0xe6d4a991370cfcb1);
  CHECK(digest(of("hot-spot", 1), Format::validate) == 0xdf16619617606214);
  CHECK(digest(of("streams", 1), Format::validate) == 0xa8dca3a39ea217bd);
  CHECK(digest(of("write-burst", 1), Format::ascii) == 0x418f8af2a7f3ab13);
}

#include "trace/workload.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "catch.h"
#include "model/error.h"

using namespace platter;
using namespace platter::trace;

namespace {

constexpr std::uint64_t kDriveBlocks = 4'000'000;

Trace made(const char* name, std::uint64_t seed = 1) {
  return generate({.profile = profile(name), .blocks = kDriveBlocks, .seed = seed});
}

}  // namespace

TEST_CASE("the random workload is that of the paper, within four standard errors") {
  const Trace trace = made("random");
  REQUIRE(trace.requests.size() == 5000);
  REQUIRE(trace.kind == Kind::open);
  double bytes = 0, writes = 0, place = 0;
  for (const Request& request : trace.requests) {
    CHECK(request.blocks % 4 == 0);
    CHECK((request.blocks >= 4 && request.blocks <= 24));
    CHECK(request.lbn + request.blocks <= kDriveBlocks);
    bytes += request.blocks * 512.0;
    writes += request.write;
    place += static_cast<double>(request.lbn) / kDriveBlocks;
  }
  CHECK(std::abs(bytes / 5000 - 8192) < 4 * 3380 / std::sqrt(5000.0));
  CHECK(std::abs(writes / 5000 - 1 / 3.0) < 4 * 0.471 / std::sqrt(5000.0));
  CHECK(std::abs(place / 5000 - 0.5) < 4 * 0.289 / std::sqrt(5000.0));
  CHECK(std::abs(to_ms(trace.requests.back().arrival_ns) / 4999 - 36) <
        4 * 20.8 / std::sqrt(4999.0));
}

TEST_CASE("the mixed workload is 20 % sequential, 30 % local, 50 % uniform") {
  const Trace trace = made("mixed");
  double sequential = 0, local = 0;
  for (std::size_t i = 1; i < trace.requests.size(); ++i) {
    const Request &before = trace.requests[i - 1], &now = trace.requests[i];
    const double distance =
        std::abs(static_cast<double>(now.lbn) - static_cast<double>(before.lbn));
    if (now.lbn == before.lbn + before.blocks)
      ++sequential;
    else if (distance <= 500)
      ++local;
  }
  CHECK(std::abs(sequential / 4999 - 0.2) < 4 * 0.4 / std::sqrt(4999.0));
  CHECK(std::abs(local / 4999 - 0.3) < 4 * 0.46 / std::sqrt(4999.0));
}

TEST_CASE("a seed is a workload on every platform") {
  const Trace a = made("mixed", 7), b = made("mixed", 7);
  const Trace c = made("mixed", 8);
  bool same = true, other = false;
  for (std::size_t i = 0; i < a.requests.size(); ++i) {
    same = same && a.requests[i].lbn == b.requests[i].lbn &&
           a.requests[i].arrival_ns == b.requests[i].arrival_ns;
    other = other || a.requests[i].lbn != c.requests[i].lbn;
  }
  CHECK(same);
  CHECK(other);
}

TEST_CASE("writes stay in the ranges that allow them, reads-only has none") {
  Workload workload{.profile = profile("mixed"), .blocks = kDriveBlocks};
  workload.writes = {{1000, 1999}, {5000, 5023}};
  std::size_t writes = 0;
  bool reads_elsewhere = false;
  for (const Request& request : generate(workload).requests) {
    if (request.write) {
      ++writes;
      CHECK((workload.writes[0].holds(request.lbn, request.blocks) ||
             workload.writes[1].holds(request.lbn, request.blocks)));
    } else {
      reads_elsewhere = reads_elsewhere || request.lbn > 10000;
    }
  }
  CHECK(writes > 1000);
  CHECK(reads_elsewhere);
  workload.reads_only = true;
  for (const Request& request : generate(workload).requests) CHECK_FALSE(request.write);
}

TEST_CASE("every request stays within the given ranges") {
  const LbnRange range{100, 400};
  for (const Request& request :
       generate({.profile = profile("mixed"), .blocks = kDriveBlocks, .within = {range}}).requests)
    CHECK(range.holds(request.lbn, request.blocks));
}

TEST_CASE("a range that cannot hold a request is refused") {
  Workload workload{.profile = profile("random"), .blocks = kDriveBlocks, .within = {{0, 22}}};
  CHECK_THROWS_AS(generate(workload), Error);
  workload.within = {{kDriveBlocks - 10, kDriveBlocks}};
  CHECK_THROWS_AS(generate(workload), Error);
  CHECK_THROWS_AS(generate({.profile = profile("random"), .blocks = 10}), Error);
}

TEST_CASE(
    "strides: a stream's requests begin so far apart, and from its region's beginning again") {
  Profile profile = trace::profile("sequential");
  std::get<Streams>(profile.place).stride_bytes = 1 << 20;  // 2048 blocks, the requests 128
  const Trace trace = generate({.profile = profile, .blocks = 5000, .requests = 6});
  std::vector<std::uint64_t> lbns;
  for (const Request& request : trace.requests) lbns.push_back(request.lbn);
  CHECK(lbns == std::vector<std::uint64_t>{0, 2048, 4096, 0, 2048, 4096});
}

TEST_CASE("a stride is a whole number of blocks and lies within a stream's region") {
  const auto why_not = [](std::uint64_t stride_bytes, std::uint64_t blocks,
                          std::uint32_t block_bytes) -> std::string {
    Profile profile = trace::profile("streams");  // four of them
    std::get<Streams>(profile.place).stride_bytes = stride_bytes;
    try {
      generate({.profile = profile, .blocks = blocks, .block_bytes = block_bytes, .requests = 6});
    } catch (const Error& error) {
      return error.what();
    }
    return "it may be";
  };
  CHECK(why_not(3 * 512, 8000, 512) == "it may be");
  CHECK(why_not(std::uint64_t{5} << 30, 80'000'000, 512) == "it may be");  // more than 2^32 bytes
  CHECK_THAT(why_not(3 * 512, 8000, 4096),
             Catch::Contains("--stride-kb 1.5 is no whole number of blocks of 4096 bytes; name a "
                             "multiple of 4"));
  CHECK(why_not(1999 * 512, 8000, 512) == "it may be");
  CHECK_THAT(why_not(2000 * 512, 8000, 512), Catch::Contains("leads past the end of the 2000"));
}

TEST_CASE("requests of tracks are whole tracks, those across them as long and begin in them") {
  // Tracks of 100 blocks, but for the last 50, which are one; no LBN of the first is known.
  const TrackOf track_of = [](std::uint64_t lbn) -> LbnRange {
    if (lbn < 100) return {1, 0};
    return {lbn / 100 * 100, std::min<std::uint64_t>(lbn / 100 * 100 + 99, 949)};
  };
  const Trace aligned =
      generate({.profile = profile("tracks"), .blocks = 950, .track_of = track_of});
  const Trace across =
      generate({.profile = profile("across-tracks"), .blocks = 950, .track_of = track_of});
  std::set<std::uint64_t> firsts, within;
  for (const Request& request : aligned.requests) {
    CHECK(request.lbn % 100 == 0);
    CHECK(request.blocks == (request.lbn == 900 ? 50 : 100));
    firsts.insert(request.lbn);
  }
  CHECK(firsts == std::set<std::uint64_t>{100, 200, 300, 400, 500, 600, 700, 800, 900});
  for (const Request& request : across.requests) {
    CHECK(request.lbn >= 100);
    CHECK(request.lbn + request.blocks <= 950);
    CHECK((request.blocks == 100 || request.lbn >= 900));
    within.insert(request.lbn % 100);
  }
  CHECK(within.size() == 100);
  CHECK_THROWS_AS(generate({.profile = profile("tracks"), .blocks = 950}), Error);
  CHECK_THROWS_AS(generate({.profile = profile("tracks"),
                            .blocks = 950,
                            .within = {{110, 150}},
                            .track_of = track_of}),
                  Error);
}

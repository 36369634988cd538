#include "trace/adjust.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catch.h"
#include "model/error.h"
#include "sampling.h"
#include "trace/workload.h"

using namespace platter;
using namespace platter::trace;
using namespace platter::trace::testing;

namespace {

std::string error_of(const char* name, const Adjustment& adjustment) {
  try {
    adjusted(profile(name), adjustment);
  } catch (const Error& error) {
    REQUIRE(error.status() == ExitStatus::usage);
    return error.what();
  }
  return "no error";
}

bool says(const std::string& sentence, const char* what) {
  return sentence.find(what) != std::string::npos;
}

// A workload with parameters drawn at random, and what they promise.
struct Drawn {
  Workload workload;
  Adjustment adjustment;
};

Drawn drawn_workload(Draws& draws) {
  const auto maybe = [&](auto draw) {
    using Value = decltype(draw());
    return draws.below(2) == 0 ? std::optional<Value>(draw()) : std::nullopt;
  };
  const auto share = [&] { return static_cast<double>(draws.below(1001)) / 1000; };
  Adjustment adjustment;
  adjustment.read_share = maybe(share);
  const std::uint64_t least = 4 * (1 + draws.below(16)), steps = draws.below(9);
  adjustment.request_kb = fmt::format("{}-{}:4", least, least + 4 * steps);
  if (draws.below(3) == 0) adjustment.align_kb = 4.0 * static_cast<double>(1 + draws.below(4));
  std::vector<Profile> with_sizes;  // those on tracks have their tracks'
  for (const Profile& one : profiles())
    if (!std::holds_alternative<OnTracks>(one.place)) with_sizes.push_back(one);
  const Profile& base = with_sizes[draws.below(with_sizes.size())];
  if (std::holds_alternative<Nearby>(base.place)) {
    adjustment.sequential_share = share() / 2;
    adjustment.local_share = share() / 2;
    adjustment.local_blocks = maybe([&] { return draws.below(2000); });
  } else if (std::holds_alternative<Streams>(base.place)) {
    adjustment.streams = static_cast<std::uint32_t>(1 + draws.below(9));
    adjustment.any_stream = draws.below(2) == 0;
    adjustment.run_requests = maybe([&] { return 1 + draws.below(20); });
  } else {
    adjustment.hot_share = share();
    adjustment.hot_span = 0.1 + share() * 0.8;
  }
  if (draws.below(2) == 0) adjustment.rate_hz = 1 + static_cast<double>(draws.below(1000));
  Workload workload{.profile = adjusted(base, adjustment),
                    .blocks = 1'000'000 + draws.below(10'000'000),
                    .block_bytes = draws.below(2) == 0 ? 512u : 4096u,
                    .requests = 1 + draws.below(2000),
                    .seed = draws.below(~std::uint64_t{0})};
  const std::uint64_t third = workload.blocks / 3;
  if (draws.below(2) == 0)
    workload.within = {{third, 2 * third}, {2 * third + 7, workload.blocks - 1}};
  if (draws.below(2) == 0) workload.writes = {{10, 10 + third / 2}};
  workload.reads_only = draws.below(4) == 0;
  return {workload, adjustment};
}

bool within(const std::vector<LbnRange>& ranges, const Request& request) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const LbnRange& range) {
    return range.holds(request.lbn, request.blocks);
  });
}

}  // namespace

TEST_CASE("whatever the parameters: sizes, ranges, order and shares are as promised") {
  Draws draws(21);
  for (int round = 0; round < 150; ++round) {
    const auto [workload, adjustment] = drawn_workload(draws);
    INFO("round " << round << ", " << workload.profile.name);
    const Trace trace = generate(workload);
    REQUIRE(trace.requests.size() == workload.requests);
    const auto whole = workload.within.empty() ? std::vector<LbnRange>{{0, workload.blocks - 1}}
                                               : workload.within;
    const auto writes = workload.writes.empty() ? whole : workload.writes;
    const Sizes& sizes = workload.profile.sizes;
    const std::uint64_t most = sizes.least_bytes +
                               (sizes.weights.size() - 1) * std::uint64_t{sizes.step_bytes};
    Nanoseconds last_ns = 0;
    double written = 0;
    for (const Request& request : trace.requests) {
      const std::uint64_t bytes = std::uint64_t{request.blocks} * workload.block_bytes;
      REQUIRE(bytes >= sizes.least_bytes);
      REQUIRE(bytes <= most);
      REQUIRE((bytes - sizes.least_bytes) % 4096 == 0);
      REQUIRE(within(request.write ? writes : whole, request));
      REQUIRE(request.arrival_ns >= last_ns);
      last_ns = request.arrival_ns;
      written += request.write;
    }
    const Share share = workload.profile.writes;
    const double promised = static_cast<double>(share.part) / static_cast<double>(share.of);
    const auto n = static_cast<double>(trace.requests.size());
    CHECK((workload.reads_only ? written == 0 : is_share(written, n, promised)));
    CHECK(generate(workload).requests == trace.requests);
  }
}

TEST_CASE("a stream's requests follow one another in its own region, whoever else comes between") {
  Adjustment adjustment{.streams = 5, .any_stream = true};
  const std::uint64_t blocks = 1'000'000;
  const Trace trace = generate(
      {.profile = adjusted(profile("streams"), adjustment), .blocks = blocks, .requests = 4000});
  std::vector<std::uint64_t> next(5), counts(5);
  for (std::size_t i = 0; i < 5; ++i) next[i] = i * blocks / 5;
  for (const Request& request : trace.requests) {
    const std::size_t stream = request.lbn / (blocks / 5);
    const std::uint64_t begin = stream * blocks / 5, end = (stream + 1) * blocks / 5;
    if (next[stream] + 128 > end) next[stream] = begin;
    REQUIRE(request.lbn == next[stream]);
    next[stream] += 128;
    ++counts[stream];
  }
  for (const std::uint64_t count : counts) CHECK(is_share(static_cast<double>(count), 4000, 0.2));
}

TEST_CASE("a run ends after its requests and the next begins anywhere") {
  const Adjustment adjustment{.request_kb = "128", .run_requests = 8};
  const Trace trace = generate({.profile = adjusted(profile("sequential"), adjustment),
                                .blocks = 100'000'000,
                                .requests = 8000});
  double places = 0;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    CHECK(trace.requests[i].blocks == 256);
    if (i % 8 == 0)
      places += static_cast<double>(trace.requests[i].lbn);
    else
      CHECK(trace.requests[i].lbn == trace.requests[i - 1].lbn + 256);
  }
  CHECK(is_mean(places, 1000, 50'000'000, 100'000'000 / std::sqrt(12.0)));
}

TEST_CASE("reads and writes with ranges of their own are streams of their own") {
  const Adjustment adjustment{.read_share = 0.5};
  const Trace trace = generate({.profile = adjusted(profile("sequential"), adjustment),
                                .blocks = 10'000'000,
                                .requests = 1000,
                                .within = {{0, 4'999'999}},
                                .writes = {{5'000'000, 9'999'999}}});
  std::uint64_t read = 0, written = 5'000'000;
  for (const Request& request : trace.requests) {
    std::uint64_t& next = request.write ? written : read;
    CHECK(request.lbn == next);
    next += 128;
  }
  CHECK(read > 0);
  CHECK(written > 5'000'000);
}

TEST_CASE("bursts end with the request that fills them") {
  const Adjustment adjustment{.request_kb = "4-12:4", .burst_kb = 100, .idle_ms = 250};
  const Trace trace = generate({.profile = adjusted(profile("write-burst"), adjustment),
                                .blocks = 1'000'000,
                                .requests = 900});
  std::uint64_t kib = 0;
  Nanoseconds now_ns = 0;
  for (const Request& request : trace.requests) {
    if (kib >= 100) {
      now_ns += 250 * kMillisecond;
      kib = 0;
    }
    CHECK(request.arrival_ns == now_ns);
    kib += request.blocks / 2;
  }
}

TEST_CASE("a rate makes arrivals of that rate, a think time a closed workload") {
  const auto made = [](const Adjustment& adjustment, const char* name = "random/read/small") {
    return generate(
        {.profile = adjusted(profile(name), adjustment), .blocks = 1'000'000, .requests = 10'001});
  };
  const Trace poisson = made({.rate_hz = 200});
  REQUIRE(poisson.kind == Kind::open);
  CHECK(is_mean(to_ms(poisson.requests.back().arrival_ns), 10'000, 5, 5));
  double long_gaps = 0;
  for (std::size_t i = 1; i < poisson.requests.size(); ++i)
    long_gaps += poisson.requests[i].arrival_ns - poisson.requests[i - 1].arrival_ns >
                 5 * kMillisecond;
  CHECK(is_share(long_gaps, 10'000, std::exp(-1)));
  const Trace regular = made({.rate_hz = 200, .gap = Gap::constant});
  CHECK(regular.requests.back().arrival_ns == 50 * kSecond);
  const Trace uniform = made({.rate_hz = 200}, "random");
  CHECK(is_mean(to_ms(uniform.requests.back().arrival_ns), 10'000, 5, 10 / std::sqrt(12.0)));
  const Trace thinking = made({.think_ms = 3});
  REQUIRE(thinking.kind == Kind::closed);
  CHECK(thinking.requests.front().think_ns == 3 * kMillisecond);
  CHECK(thinking.requests.back().think_ns == 0);
}

TEST_CASE("local requests at the very end of the largest drive stay local") {
  const std::uint64_t last = ~std::uint64_t{0} - 1;
  for (const std::uint64_t far : {std::uint64_t{500}, ~std::uint64_t{0}}) {
    const Trace trace = generate({.profile = adjusted(profile("local"), {.local_blocks = far}),
                                  .blocks = ~std::uint64_t{0},
                                  .within = {{last - 100'000'000, last}}});
    double local = 0;
    for (std::size_t i = 1; i < trace.requests.size(); ++i) {
      const std::uint64_t a = trace.requests[i].lbn, b = trace.requests[i - 1].lbn;
      local += (a > b ? a - b : b - a) <= far;
    }
    CHECK(local >= 0.9 * 4999 - 5 * std::sqrt(4999 * 0.9 * 0.1));
  }
}

TEST_CASE("what is not adjusted stays") {
  const Profile mixed = adjusted(profile("mixed"), {.local_share = 0.5});
  const auto& place = std::get<Nearby>(mixed.place);
  CHECK(place.sequential * 10 == 2 * place.of);
  CHECK(place.local * 2 == place.of);
  CHECK(place.local_blocks == 500);
  CHECK(mixed.times.mean_ns == 36 * kMillisecond);
  CHECK(mixed.sizes.weights == profile("mixed").sizes.weights);
}

TEST_CASE("a seed makes the same requests open and closed") {
  const Trace open = generate({.profile = profile("mixed"), .blocks = 1'000'000});
  const Trace closed =
      generate({.profile = adjusted(profile("mixed"), {.think_ms = 36}), .blocks = 1'000'000});
  CHECK(converted(open, Kind::closed).requests == closed.requests);
}

TEST_CASE("what a workload has not and what makes no sense is refused in a sentence") {
  CHECK(error_of("random", {.read_share = 1.5}) ==
        "--read-share 1.5 is no share; name one from 0 to 1");
  CHECK(says(error_of("random", {.read_share = std::nan("")}), "is no share"));
  for (const char* size :
       {"", "x", "4-", "4-8:", "8-4", "4-9", "4:4", "4-8:4x", "-4", "0", "1e30"}) {
    INFO(size);
    CHECK(says(error_of("random", {.request_kb = size}), "--request-kb"));
  }
  CHECK(error_of("random", {.request_kb = "0.5"}) == "no error");
  CHECK(
      says(error_of("random", {.streams = 4}),
           "--streams does not go with the workload random; it goes with sequential and streams"));
  CHECK(says(error_of("sequential", {.hot_share = 0.5}), "it goes with hot-spot"));
  CHECK(says(error_of("hot-spot", {.local_share = 0.5}), "it goes with random, mixed"));
  CHECK(says(error_of("random", {.rate_hz = 5, .think_ms = 5}), "name one of them"));
  CHECK(says(error_of("random", {.rate_hz = 0}), "out of range"));
  CHECK(says(error_of("random", {.think_ms = -1}), "out of range"));
  CHECK(says(error_of("random", {.burst_requests = 5}), "name both"));
  CHECK(says(error_of("random", {.idle_ms = 5}), "name both"));
  CHECK(says(error_of("random", {.burst_kb = 1e30, .idle_ms = 5}), "--burst-kb 1e+30 is out of"));
  CHECK(says(error_of("streams", {.streams = 65537}), "--streams 65537 is out of range"));
}

TEST_CASE("what does not fit the drive is refused in a sentence") {
  const auto refused = [](Workload workload) {
    try {
      generate(workload);
    } catch (const Error& error) {
      REQUIRE(error.status() == ExitStatus::usage);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto with = [](const char* name, const Adjustment& adjustment) {
    return adjusted(profile(name), adjustment);
  };
  CHECK(says(refused({.profile = with("random", {.request_kb = "64"}), .blocks = 127}),
             "a drive of 127 blocks cannot hold"));
  CHECK(refused({.profile = with("random", {.request_kb = "64"}), .blocks = 128}) == "no error");
  CHECK(says(refused({.profile = with("streams", {.streams = 9}), .blocks = 1000}), "9 streams"));
  CHECK(says(
      refused({.profile = with("random", {.align_kb = 6}), .blocks = 9000, .block_bytes = 4096}),
      "cannot be aligned to 6144 bytes"));
  CHECK(says(refused({.profile = with("random", {.sequential_share = 0.7, .local_share = 0.4}),
                      .blocks = 9000}),
             "together are more than all"));
  CHECK(says(refused({.profile = with("hot-spot", {.hot_span = 0}), .blocks = 9000}),
             "the hot part"));
  CHECK(says(refused({.profile = with("hot-spot", {.hot_span = 1}), .blocks = 9000}), "beside"));
  CHECK(refused({.profile = with("hot-spot", {.hot_share = 1, .hot_span = 1}), .blocks = 9000}) ==
        "no error");
  CHECK(says(
      refused({.profile = with("random", {.rate_hz = 0.001}), .blocks = 9000, .requests = 20'000}),
      "after more than 104 days"));
}

// The one-pass statistics against naive ones that keep the whole trace.
#include "trace/statistics.h"

#include <algorithm>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "catch.h"
#include "statistics/distribution.h"
#include "trace/draws.h"
#include "trace/trace.h"

using namespace platter;
using namespace platter::trace;

namespace {

// Small drives and few sizes, so that runs, streams, repeats and overlaps all occur.
Trace random_trace(std::uint64_t seed, Kind kind) {
  Draws draws(seed);
  Trace trace{.kind = kind, .name = "t"};
  const std::uint64_t count = 1 + draws.below(400), blocks = 64 + draws.below(100'000);
  const std::uint64_t sequential = draws.below(11), measured = draws.below(3);
  Nanoseconds now_ns = static_cast<Nanoseconds>(draws.below(kSecond));
  std::vector<std::uint64_t> ends(1 + draws.below(80), 0);
  for (std::uint64_t i = 0; i < count; ++i) {
    Request request;
    std::uint64_t& end = ends[draws.below(ends.size())];
    request.lbn = draws.below(10) < sequential ? end : draws.below(blocks);
    request.blocks = static_cast<std::uint32_t>(1 + draws.below(draws.below(4) == 0 ? 20'000 : 9));
    end = request.lbn + request.blocks;
    request.write = draws.below(3) == 0;
    const auto gap_ns = static_cast<Nanoseconds>(
        draws.below(4) == 0 ? 0
                            : draws.below(draws.below(9) == 0 ? 5 * kSecond : 90 * kMillisecond));
    now_ns += gap_ns;
    (kind == Kind::open ? request.arrival_ns : request.think_ns) = kind == Kind::open ? now_ns
                                                                                      : gap_ns;
    if (measured == 2 || (measured == 1 && draws.below(2) == 0))
      request.service_ns = static_cast<Nanoseconds>(1 + draws.below(200 * kMillisecond));
    trace.requests.push_back(request);
  }
  return trace;
}

Statistics statistics_of(const Trace& trace) { return trace::statistics_of(*reader_of(trace)); }

// Within the width of a class of numbers: 2^(1 - kExactBits) of them, none below 2^kExactBits.
void check_numbers(const Histogram& counted, std::vector<double> numbers) {
  REQUIRE(counted.count() == numbers.size());
  if (numbers.empty()) return;
  std::ranges::sort(numbers);
  CHECK(static_cast<double>(counted.least()) == numbers.front());
  CHECK(static_cast<double>(counted.most()) == numbers.back());
  CHECK(counted.mean() == Approx(statistics::mean(numbers)).epsilon(1e-12));
  double squares = 0;
  for (const double number : numbers) squares += std::pow(number - counted.mean(), 2);
  CHECK(
      counted.deviation() ==
      Approx(std::sqrt(squares / static_cast<double>(numbers.size()))).epsilon(1e-9).margin(1e-9));
  for (const double share : {0.0, 0.1, 0.5, 0.77, 0.9, 0.99, 1.0}) {
    const double exact = statistics::quantile(numbers, share);
    const double error = numbers.back() < std::pow(2, Histogram::kExactBits)
                             ? 1e-12
                             : std::pow(2, 1 - Histogram::kExactBits);
    CHECK(std::abs(counted.quantile(share) - exact) <= error * exact + 1e-9);
  }
  std::uint64_t all = 0;
  for (const Histogram::Class& each : counted.powers_of_two()) {
    const auto inside = std::ranges::count_if(numbers, [&](double number) {
      return number >= static_cast<double>(each.first) && number <= static_cast<double>(each.last);
    });
    CHECK(each.count == static_cast<std::uint64_t>(inside));
    all += each.count;
  }
  CHECK(all == numbers.size());
}

std::vector<double> numbers_of(const Trace& trace, double (*number)(const Request&),
                               bool (*wanted)(const Request&)) {
  std::vector<double> numbers;
  for (const Request& request : trace.requests)
    if (wanted(request)) numbers.push_back(number(request));
  return numbers;
}

double size_of(const Request& request) { return request.blocks; }
bool any(const Request&) { return true; }
bool is_write(const Request& request) { return request.write; }
bool is_read(const Request& request) { return !request.write; }

// With a memory of so many streams, each run for itself.
std::uint64_t continuing(const Trace& trace, std::size_t streams) {
  std::deque<std::uint64_t> ends;
  std::uint64_t count = 0;
  for (const Request& request : trace.requests) {
    if (const auto found = std::ranges::find(ends, request.lbn); found != ends.end()) {
      ++count;
      ends.erase(found);
    } else if (ends.size() == streams) {
      ends.pop_back();
    }
    ends.push_front(request.lbn + request.blocks);
  }
  return count;
}

void check_sequentiality(const Trace& trace, const Sequentiality& seen) {
  for (std::size_t streams = 1; streams <= Sequentiality::kRemembered; ++streams)
    CHECK(seen.continuing(streams) == continuing(trace, streams));
  std::uint64_t runs = 0, requests = 0, blocks = 0, longest = 0, longest_blocks = 0, end = 0;
  for (const Request& request : trace.requests) {
    if (runs == 0 || request.lbn != end) {
      ++runs;
      requests = blocks = 0;
    }
    end = request.lbn + request.blocks;
    longest = std::max(longest, ++requests);
    longest_blocks = std::max(longest_blocks, blocks += request.blocks);
  }
  CHECK(seen.runs() == runs);
  CHECK(seen.longest_run_requests() == longest);
  CHECK(seen.longest_run_blocks() == longest_blocks);
  const std::uint64_t all = seen.continuing(Sequentiality::kRemembered);
  CHECK(seen.requests_in_streams() == all + seen.streams());
  if (all > 0) {
    const std::size_t enough = seen.streams_for(0.99);
    CHECK(static_cast<double>(seen.continuing(enough)) >= 0.99 * static_cast<double>(all));
    CHECK(static_cast<double>(seen.continuing(enough - 1)) < 0.99 * static_cast<double>(all));
  }
}

void check_places(const Trace& trace, const Statistics& seen) {
  std::vector<double> forward, backward, distance, read_strides;
  std::set<std::uint64_t> regions;
  std::uint64_t local = 0, again = 0, aligned = 0, whole = 0, blocks = 0;
  const Request* last_read = nullptr;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const Request& now = trace.requests[i];
    bool touched = true;
    for (std::uint64_t lbn = now.lbn; lbn < now.lbn + now.blocks; ++lbn)
      touched = !regions.insert(lbn / 2048).second ? touched : false;
    again += touched;
    blocks += now.blocks;
    aligned += now.lbn % 8 == 0;
    whole += now.lbn % 8 == 0 && now.blocks % 8 == 0;
    if (!now.write) {
      if (last_read)
        read_strides.push_back(
            std::abs(static_cast<double>(now.lbn) - static_cast<double>(last_read->lbn)));
      last_read = &now;
    }
    if (i == 0) continue;
    const Request& before = trace.requests[i - 1];
    const double stride = static_cast<double>(now.lbn) -
                          static_cast<double>(before.lbn + before.blocks);
    if (stride > 0) forward.push_back(stride);
    if (stride < 0) backward.push_back(-stride);
    distance.push_back(std::abs(stride));
    const double apart = std::abs(static_cast<double>(now.lbn) - static_cast<double>(before.lbn));
    local += stride != 0 && apart <= 500;
  }
  CHECK(seen.blocks == blocks);
  CHECK(seen.local == local);
  CHECK(seen.footprint.regions() == regions.size());
  CHECK(seen.footprint.exact());
  CHECK(seen.touched_before == again);
  CHECK(seen.alignment.begins(3) == aligned);
  CHECK(seen.alignment.begins_and_ends(3) == whole);
  CHECK(seen.alignment.begins(0) == trace.requests.size());
  check_numbers(seen.forward, forward);
  check_numbers(seen.backward, backward);
  check_numbers(seen.distance, distance);
  check_numbers(seen.reads.strides, read_strides);
}

void check_windows(const Trace& trace, const Windows& seen) {
  const Nanoseconds first_ns = trace.requests.front().arrival_ns;
  std::map<Nanoseconds, double> counts;
  for (const Request& request : trace.requests)
    ++counts[(request.arrival_ns - first_ns) / seen.length_ns()];
  const Nanoseconds whole = counts.rbegin()->first;
  double most = 0, mean = 0, squares = 0;
  for (const auto& [window, count] : counts) most = std::max(most, count);
  CHECK(static_cast<double>(seen.most()) == most);
  REQUIRE(static_cast<Nanoseconds>(seen.windows()) == whole);
  if (whole == 0) return;
  for (Nanoseconds i = 0; i < whole; ++i) mean += counts[i] / static_cast<double>(whole);
  for (Nanoseconds i = 0; i < whole; ++i) squares += std::pow(counts[i] - mean, 2);
  CHECK(seen.dispersion() == Approx(squares / static_cast<double>(whole) / mean));
}

void check_times(const Trace& trace, const Statistics& seen) {
  std::vector<double> gaps, services, found;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const Request& now = trace.requests[i];
    if (now.service_ns) services.push_back(static_cast<double>(*now.service_ns));
    if (now.service_ns && seen.open())
      found.push_back(static_cast<double>(std::count_if(
          trace.requests.begin(), trace.requests.begin() + static_cast<std::ptrdiff_t>(i),
          [&](const Request& earlier) {
            return earlier.service_ns && earlier.arrival_ns + *earlier.service_ns > now.arrival_ns;
          })));
    if (i == 0) continue;
    const Request& before = trace.requests[i - 1];
    gaps.push_back(
        static_cast<double>(seen.open() ? now.arrival_ns - before.arrival_ns : before.think_ns));
  }
  check_numbers(seen.gaps_ns, gaps);
  check_numbers(seen.services_ns, services);
  check_numbers(seen.outstanding.found(), found);
  if (seen.open())
    for (const Windows& each : seen.windows) check_windows(trace, each);
}

}  // namespace

TEST_CASE("statistics of random traces are those of a naive count") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Trace trace = random_trace(seed, seed % 2 == 0 ? Kind::open : Kind::closed);
    INFO("seed " << seed);
    const Statistics seen = statistics_of(trace);
    REQUIRE(seen.requests() == trace.requests.size());
    check_numbers(seen.all.blocks, numbers_of(trace, size_of, any));
    check_numbers(seen.reads.blocks, numbers_of(trace, size_of, is_read));
    check_numbers(seen.writes.blocks, numbers_of(trace, size_of, is_write));
    check_sequentiality(trace, seen.sequentiality);
    check_places(trace, seen);
    check_times(trace, seen);
  }
}

TEST_CASE("the JSON tells rates, shares and what there is none of") {
  Trace trace{.kind = Kind::open, .name = "t"};
  for (Nanoseconds i = 0; i < 11; ++i)
    trace.requests.push_back({.arrival_ns = 5 * kSecond + i * 100 * kMillisecond,
                              .lbn = static_cast<std::uint64_t>(8 * i),
                              .blocks = 8});
  const Statistics seen = statistics_of(trace);
  CHECK(seen.rate_hz() == 10.0);
  const auto json = nlohmann::json::parse(to_json({&seen, 1}));
  CHECK(json["sequential_share"] == 1.0);
  CHECK(json["read_share"] == 1.0);
  CHECK(json["times"]["variation"] == 0.0);
  CHECK(json["times"]["span_ms"] == 1000.0);
  CHECK(json["sizes"]["writes"].is_null());
  CHECK(json["queue_depth"].is_null());
  CHECK(json["accesses"][1]["mean_bytes"].is_null());
  const std::vector<Statistics> two = {seen, seen};
  CHECK(nlohmann::json::parse(to_json(two))["traces"].size() == 2);
}

TEST_CASE("a closed trace has a rate only where every service time was measured") {
  Trace trace{.kind = Kind::closed, .name = "t"};
  for (int i = 0; i < 3; ++i)
    trace.requests.push_back({.think_ns = 6 * kMillisecond, .service_ns = 4 * kMillisecond});
  CHECK(statistics_of(trace).rate_hz() == 100.0);
  trace.requests[1].service_ns.reset();
  CHECK_FALSE(statistics_of(trace).rate_hz());
}

TEST_CASE("a request that completes as the next one arrives is outstanding no more") {
  Trace trace{.kind = Kind::open, .name = "t"};
  for (const Nanoseconds arrival_ns : {0, 10, 15})
    trace.requests.push_back({.arrival_ns = arrival_ns, .service_ns = 10});
  const Statistics seen = statistics_of(trace);
  CHECK(seen.outstanding.found().most() == 1);
  CHECK(seen.outstanding.found().mean() == Approx(1.0 / 3));
}

TEST_CASE("one request has no pairs, none has no figures") {
  Trace trace{.kind = Kind::open, .name = "t"};
  trace.requests.push_back({.lbn = 5, .blocks = 1});
  const Statistics one = statistics_of(trace);
  CHECK_FALSE(one.rate_hz());
  CHECK(nlohmann::json::parse(to_json({&one, 1}))["sequential_share"].is_null());
  CHECK(to_text({&one, 1}).find("nan") == std::string::npos);
  trace.requests.clear();
  const Statistics none = statistics_of(trace);
  CHECK(to_text({&none, 1}) == "t holds no request.\n");
  CHECK(nlohmann::json::parse(to_json({&none, 1}))["requests"] == 0);
}

TEST_CASE("stretches of regions that grow together are counted as single regions are") {
  std::mt19937 chance(1);
  Footprint footprint(1);
  std::vector<bool> touched(40'000);
  for (int i = 0; i < 400; ++i) {
    const std::size_t first = chance() % 30'000, blocks = 1 + chance() % (i % 2 == 0 ? 10 : 10'000);
    bool all = true;
    for (std::size_t at = first; at < first + blocks; ++at) {
      all = all && touched[at];
      touched[at] = true;
    }
    REQUIRE(footprint.add(first, static_cast<std::uint32_t>(blocks)) == all);
    REQUIRE(footprint.regions() == static_cast<std::uint64_t>(std::ranges::count(touched, true)));
  }
  CHECK(footprint.add(5000, 20'000));
  CHECK(footprint.exact());
}

TEST_CASE("requests scattered over 2^63 blocks take bounded memory, and the count says so") {
  Footprint footprint(1);
  for (std::uint64_t i = 0; i < 200'000; ++i) footprint.add(i << 40, 1);
  CHECK_FALSE(footprint.exact());
  CHECK(footprint.regions() == 1 << 17);
  CHECK_FALSE(footprint.add(std::uint64_t{199'999} << 40, 1));
  CHECK(footprint.add(0, 1));
}

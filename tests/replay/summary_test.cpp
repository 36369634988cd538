// A result's figures: exact while the times fit, within a stated error beyond.
#include "replay/summary.h"

#include <algorithm>
#include <random>

#include "catch.h"
#include "statistics/distribution.h"

using namespace platter;
using namespace platter::replay;

namespace {

constexpr std::array<double, 6> kShares = {0, 0.5, 0.9, 0.99, 0.999, 1};

std::vector<Nanoseconds> random_times(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<Nanoseconds> times;
  for (std::size_t i = 0; i < count; ++i)
    times.push_back(random() % 4 == 0 ? 0
                                      : static_cast<Nanoseconds>(random() >> (30 + random() % 30)));
  return times;
}

std::vector<double> sorted_ms(const std::vector<Nanoseconds>& times) {
  std::vector<double> sorted;
  for (const Nanoseconds time : times) sorted.push_back(to_ms(time));
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace

TEST_CASE("quantiles are those of the sorted times") {
  const std::size_t count = GENERATE(1, 2, 3, 10, 99, 1000, 12345);
  const std::vector<Nanoseconds> raw = random_times(count, count);
  Times times;
  for (const Nanoseconds time : raw) times.add(time);
  const std::vector<double> sorted = sorted_ms(raw), quantiles = times.quantiles_ms(kShares);
  for (std::size_t i = 0; i < kShares.size(); ++i)
    CHECK(quantiles[i] == Approx(statistics::quantile(sorted, kShares[i])).epsilon(1e-12));
  CHECK(times.mean_ms() == Approx(statistics::mean(sorted)));
  CHECK(times.max_ms() == sorted.back());
  CHECK(times.exact());
}

TEST_CASE("more times than are kept: quantiles within the stated error, mean and most exact") {
  const std::vector<Nanoseconds> raw = random_times(8, 50000);
  Times times(1000);
  for (const Nanoseconds time : raw) times.add(time);
  CHECK_FALSE(times.exact());
  const std::vector<double> sorted = sorted_ms(raw), quantiles = times.quantiles_ms(kShares);
  for (std::size_t i = 0; i < kShares.size(); ++i) {
    const double exact = statistics::quantile(sorted, kShares[i]);
    CHECK(std::abs(quantiles[i] - exact) <= Times::kQuantileError * exact);
  }
  CHECK(times.mean_ms() == Approx(statistics::mean(sorted)));
  CHECK(times.max_ms() == sorted.back());
}

TEST_CASE("a summary counts reads, writes and hits, and tells who was late") {
  Result result;
  result.requests = {{.due_ns = 0, .issue_ns = 1'000'000, .response_ns = 4'000'000, .media = true},
                     {.write = true,
                      .due_ns = 10,
                      .issue_ns = 5'000'010,
                      .response_ns = 2'000'000,
                      .media = false,
                      .waited_ns = 5'000'000},
                     {.due_ns = 20, .issue_ns = 20, .response_ns = 9'000'000}};
  result.reference = {{.response_ns = 99'000'000}};
  const Summary summary = summary_of(result);
  CHECK(summary.all.n == 3);
  CHECK(summary.read.n == 2);
  CHECK(summary.write.mean_ms == 2);
  CHECK(summary.all.mean_ms == 5);
  CHECK(summary.all.p50_ms == 4);
  CHECK(summary.all.max_ms == 9);
  CHECK(summary.hits_share == 0.5);
  CHECK(summary.lateness.host.max_ms == 1);
  CHECK(summary.lateness.host.p50_ms == 0);
  CHECK(summary.lateness.depth.max_ms == 5);
  CHECK(summary.seconds == Approx(0.008));
  CHECK(is_late(summary));  // 0.98 ms of 5 ms
  result.requests[0].issue_ns = 250'000;
  CHECK_FALSE(is_late(summary_of(result)));
}

TEST_CASE("no requests have a summary, too") {
  const Summary summary = summary_of({});
  CHECK(summary.all.n == 0);
  CHECK(summary.all.p99_ms == 0);
  CHECK_FALSE(summary.hits_share.has_value());
  CHECK_FALSE(summary_text({}, summary).empty());
}

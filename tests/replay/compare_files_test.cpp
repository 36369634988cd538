// The comparison of results that are longer than memory gives every digit of the one in memory.
#include <algorithm>
#include <array>
#include <random>

#include "catch.h"
#include "model/error.h"
#include "replay/compare_in_memory.h"
#include "replay/comparison_text.h"
#include "replay/sorted_times.h"

using namespace platter;
using namespace platter::replay;

namespace {

Result random_result(std::mt19937_64& random, const std::vector<Response>& like, bool model) {
  const auto below = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  Result result;
  result.target = model ? ResultHead::Target::model : ResultHead::Target::drive;
  result.name = model ? "model" : "drive";
  result.trace = "t";
  result.kind = random() % 2 ? trace::Kind::open : trace::Kind::closed;
  if (model || random() % 2) result.period_ns = 6e6 + static_cast<double>(below(100));
  if (random() % 4 == 0) result.period_ns.reset();
  if (random() % 2) result.block_transfer_ns = 12345.5;
  const auto row_of = [&](Response row, std::size_t i) {
    row.issue_ns = static_cast<Nanoseconds>(i) * 20'000'000 +
                   (random() % 8 == 0 ? below(20'000) : 0);
    row.response_ns = random() % 3 == 0 ? 500'000 : below(20'000'000);
    row.media.reset();
    if (model && random() % 3) row.media = random() % 2 == 0;
    return row;
  };
  for (std::size_t i = 0; i < 4; ++i) result.reference.push_back(row_of({.lbn = i}, i));
  for (std::size_t i = 0; i < like.size(); ++i) result.requests.push_back(row_of(like[i], i));
  return result;
}

std::vector<Response> random_requests(std::mt19937_64& random, std::size_t count) {
  std::vector<Response> requests(count);
  const std::uint32_t most = random() % 2 ? 4 : 300;
  for (Response& request : requests) {
    request.lbn = random() % 1000;
    request.blocks = 1 + static_cast<std::uint32_t>(random() % most);
    request.write = random() % 3 == 0;
  }
  return requests;
}

// A half that one of the results does not reach is refused, by both.
template <typename Compare>
std::string text(const Compare& compare) {
  try {
    return comparison_json(std::vector<Comparison>{compare()});
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a comparison of results of any length is that in memory, to the last digit") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const std::vector<Response> requests = random_requests(random, 1 + random() % 400);
    const Result drive = random_result(random, requests, false);
    Result model = random_result(random, requests, true);
    if (seed % 5 == 0) model.requests.resize(1 + random() % model.requests.size());
    if (seed % 7 == 0) model.requests[random() % model.requests.size()].lbn += 1;
    if (seed % 2 == 0)
      for (std::size_t i = 0; i < model.requests.size(); ++i)
        model.requests[i].issue_ns = drive.requests[i].issue_ns + 77;
    Comparing options{.times_in_memory = 1 + random() % 40};
    if (seed % 3 == 0) options.hits_by = HitsBy::response;
    if (seed % 4 == 0) options.hit_threshold_ns = 1e6;
    if (seed % 11 == 0)
      options.half = Half::second;
    else if (seed % 13 == 0)
      options.to = 1 + random() % model.requests.size();
    CHECK(text([&] { return compare(drive, model, options); }) ==
          text([&] { return compare_in_memory(drive, model, options); }));
  }
}

TEST_CASE("times come sorted out of any number of runs, each kind by itself and together") {
  for (const std::size_t in_memory : {3, 64, 100'000}) {
    CAPTURE(in_memory);
    std::mt19937_64 random(in_memory);
    SortedTimes times(in_memory);
    std::array<std::vector<Nanoseconds>, SortedTimes::kKinds> expected;
    for (int i = 0; i < 20'000; ++i) {
      const std::size_t kind = random() % SortedTimes::kKinds;
      const auto time_ns = static_cast<Nanoseconds>(random() % 5000);
      times.add(kind, time_ns);
      expected[kind].push_back(time_ns);
    }
    for (const SortedTimes::Kinds kinds : {0x0001U, 0x8000U, 0x00FFU, 0xFFFFU, 0x0000U}) {
      std::vector<Nanoseconds> wanted, got;
      for (std::size_t kind = 0; kind < SortedTimes::kKinds; ++kind)
        if (kinds[kind]) wanted.insert(wanted.end(), expected[kind].begin(), expected[kind].end());
      std::ranges::sort(wanted);
      SortedTimes::Reader reader = times.read(kinds);
      for (Nanoseconds time_ns = 0; reader.next(time_ns);) got.push_back(time_ns);
      CHECK(got == wanted);
      CHECK(times.count(kinds) == wanted.size());
    }
  }
}

// A trace of a larger drive on a smaller one.
#include "trace/fit.h"

#include <map>

#include "catch.h"
#include "model/error.h"
#include "trace/draws.h"
#include "trace/trace.h"

using namespace platter;
using namespace platter::trace;

namespace {

Trace trace_of(std::vector<std::pair<std::uint64_t, std::uint32_t>> places) {
  Trace trace{.name = "t"};
  for (const auto& [lbn, blocks] : places) trace.requests.push_back({.lbn = lbn, .blocks = blocks});
  return trace;
}

Trace fit(const Trace& trace, Fit how, std::uint64_t blocks, std::string* text = nullptr) {
  Fitted fitted = trace::fitted([&] { return reader_of(trace); }, how, blocks);
  if (text) *text = fitted.text;
  return read_trace(*fitted.reader);
}

std::vector<std::uint64_t> lbns(const Trace& trace) {
  std::vector<std::uint64_t> list;
  for (const Request& request : trace.requests) list.push_back(request.lbn);
  return list;
}

}  // namespace

TEST_CASE("a trace that fits stays as it is, and nothing is said") {
  const Trace trace = trace_of({{0, 8}, {992, 8}});
  for (const Fit how : {Fit::none, Fit::wrap, Fit::scale, Fit::compact}) {
    std::string text;
    CHECK(fit(trace, how, 1000, &text).requests == trace.requests);
    CHECK(text.empty());
  }
}

TEST_CASE("wrap: modulo the drive, a request at its end stays whole") {
  std::string text;
  CHECK(lbns(fit(trace_of({{0, 8}, {1004, 8}, {1996, 8}}), Fit::wrap, 1000, &text)) ==
        std::vector<std::uint64_t>{0, 4, 992});
  CHECK(text == "wrap: the 2004 blocks that the trace spans, modulo the drive's 1000");
}

TEST_CASE("scale: distances in proportion, neighbours remain neighbours") {
  constexpr std::uint64_t kDrive = 1u << 20, kSpan = 4 * kDrive;
  const Trace scaled = fit(trace_of({{0, 8}, {8, 8}, {kSpan / 2, 8}, {kSpan - 8, 8}}), Fit::scale,
                           kDrive);
  CHECK(scaled.requests[1].lbn == scaled.requests[0].lbn + 8);
  CHECK(scaled.requests[2].lbn == kDrive / 2);
  CHECK(scaled.requests[3].lbn >= kDrive - 2048);
}

TEST_CASE("compact: order and neighbours stay, what is never touched goes") {
  std::string text;
  const Trace trace = trace_of({{5'000'000'000, 8}, {0, 8}, {5'000'000'008, 200}, {900'000, 8}});
  const Trace compact = fit(trace, Fit::compact, 1024, &text);
  CHECK(compact.requests[2].lbn == compact.requests[0].lbn + 8);
  CHECK(compact.requests[1].lbn < compact.requests[3].lbn);
  CHECK(compact.requests[3].lbn < compact.requests[0].lbn);
  CHECK(text.starts_with("compact: "));
  CHECK_THROWS_AS(fit(trace, Fit::compact, 300), Error);
}

TEST_CASE("a request longer than the drive fits no way") {
  for (const Fit how : {Fit::wrap, Fit::scale, Fit::compact})
    CHECK_THROWS_AS(fit(trace_of({{0, 2000}}), how, 1000), Error);
}

TEST_CASE(
    "random traces: all that is fitted lies on the drive, and what is read again, where it was") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Draws draws(seed);
    Trace trace{.name = "t"};
    const std::uint64_t span = 1000 + draws.below(std::uint64_t{1} << (10 + seed % 30));
    for (int i = 0; i < 300; ++i)
      trace.requests.push_back(
          {.lbn = draws.below(span), .blocks = static_cast<std::uint32_t>(1 + draws.below(256))});
    const std::uint64_t drive = 256 + draws.below(span);
    for (const Fit how : {Fit::wrap, Fit::scale, Fit::compact}) {
      std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> places;
      Trace fitted;
      try {
        fitted = fit(trace, how, drive);
      } catch (const Error&) {
        CHECK(how == Fit::compact);
        continue;
      }
      for (std::size_t i = 0; i < trace.requests.size(); ++i) {
        const Request &from = trace.requests[i], &to = fitted.requests[i];
        CHECK(to.blocks == from.blocks);
        CHECK(to.lbn + to.blocks <= drive);
        const auto [known, is_new] = places.emplace(std::pair(from.lbn, from.blocks), to.lbn);
        if (!is_new) CHECK(known->second == to.lbn);
      }
    }
  }
}

#include "trace/lint.h"

#include <fmt/core.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "model/error.h"
#include "trace/random_trace.h"

using namespace platter;
using namespace platter::trace;

namespace {

Lint lint_of(const std::string& text, const Reading& reading = {}, std::size_t most = 100) {
  return lint(memory_source(text), "t", reading, most);
}

std::string shown(const Finding& finding) {
  const char* severity = finding.severity == Severity::error ? "error" : "warning";
  return finding.place.number == 0
             ? fmt::format("{}: {}", severity, finding.what)
             : fmt::format("{}: {}: {}", to_text(finding.place), severity, finding.what);
}

void check_finding(const Lint& lint, std::size_t index, const std::string& begin) {
  REQUIRE(lint.findings.size() > index);
  CHECK_THAT(shown(lint.findings[index]), Catch::StartsWith(begin));
}

bool has(const Lint& lint, const std::string& text) {
  for (const Finding& finding : lint.findings)
    if (shown(finding).find(text) != std::string::npos) return true;
  return false;
}

std::string repeated(int count, const std::function<std::string(int)>& line) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line(i);
  return text;
}

}  // namespace

TEST_CASE("lint goes on behind every line that cannot be read") {
  const Lint lint = lint_of(
      "1.0 0 12 4 1\nhello\n2.0 0 x 4 1\n3.0 0 12 0 1\n2.5 0 12 4 1\n4.0 0 97 4 1\n"
      "5.0 0 12 4 1\n",
      {.format = Format::ascii, .blocks = 100});
  CHECK(lint.requests == 3);
  CHECK(lint.errors == 4);
  CHECK(lint.warnings == 0);
  check_finding(lint, 0, "line 2, column 6: error: the line ends after 1 of its 5 fields");
  check_finding(lint, 1, "line 3, column 7: error: the LBN \"x\"");
  check_finding(lint, 2, "line 4, column 10: error: a request of 0 blocks");
  // Line 5 is after line 1; lines 3 and 4 are no requests.
  check_finding(lint, 3, "line 6, column 7: error: LBN 97");
}

TEST_CASE("lint finds times that go backwards, once for each place") {
  const Lint lint = lint_of("1 0 12 4 1\n9 0 12 4 1\n2 0 12 4 1\n3 0 12 4 1\n");
  CHECK(lint.errors == 1);
  check_finding(lint, 0, "line 3, column 1: error: the arrival time 2 ms is before");
  CHECK(lint_of("1 0 12 4 1\n9 0 12 4 1\n2 0 12 4 1\n3 0 12 4 1\n", {.reorder = 2}).errors == 0);
  CHECK(lint_of("1 0 12 4 1\n9 0 12 4 1\n2 0 12 4 1\n3 0 12 4 1\n", {.reorder = 1}).errors == 0);
  CHECK(lint_of("8 0 12 4 1\n9 0 12 4 1\n2 0 12 4 1\n3 0 12 4 1\n", {.reorder = 1}).errors == 1);
}

TEST_CASE("lint warns of what can be read and is suspicious") {
  CHECK(has(lint_of("0,1,512,R,0\n0,1,100,W,1\n", {.round = true}),
            "line 2, column 3: warning: the request is no "
            "whole number of blocks"));
  CHECK(has(lint_of("0,1,100,W,1\n"), "line 1, column 5: error: the request of 100 bytes"));
  CHECK(has(lint_of("R Hit 1 1 0 1\n"), "line 1, column 11: warning: the service time is 0"));
  CHECK(has(lint_of("R Hit 1 1 99e6 1\n"),
            "line 1, column 11: warning: a service time of 99000 ms is longer"));
  CHECK(has(lint_of("R Hit 1 1 0.5 1\n"), "warning: a service time of 0.0005 ms is shorter"));
  CHECK(has(lint_of(repeated(200, [](int i) { return fmt::format("{} 0 {} 4 1\n", i / 100, i); })),
            "warning: 198 of 200 requests arrive at the very time"));
  CHECK(has(lint_of(repeated(200, [](int i) { return fmt::format("{} 0 {} 4 1\n", i * 4e6, i); })),
            "warning: the mean time between arrivals is 1 h"));
  CHECK(has(
      lint_of(repeated(200, [](int i) { return fmt::format("{:.7f} 0 {} 4 1\n", i * 1e-5, i); })),
      "warning: the mean time between arrivals is 10 ns"));
  CHECK(
      has(lint_of(repeated(200, [](int i) { return fmt::format("{} 0 {} 512 1\n", i, i * 4096); })),
          "are they bytes?"));
  CHECK(has(
      lint_of(repeated(200, [](int i) { return fmt::format("{} 0 1 4 1\n", 8'000'000'000 + i); })),
      "are the times those of a clock?"));
  CHECK(has(lint_of("1 3 1 1 1\n1 4 1 1 1\n"), "error: the trace holds requests for 2 devices"));
  CHECK(lint_of("1 3 1 1 1\n1 4 1 1 1\n", {.device = "3"}).errors == 0);
}

TEST_CASE("a unit that no reader believes is an error") {
  const std::string in_ns = repeated(
      200, [](int i) { return fmt::format("{} 0 {} 8 1\n", i * 5'000'000, i * 1000); });
  CHECK(lint_of(in_ns, {.format = Format::ascii}).errors == 1);
  CHECK(lint_of(in_ns, {.format = Format::ascii, .time_unit_ns = 1}).errors == 0);
  CHECK_THROWS_AS(read_trace(*open_trace(memory_source(in_ns), "t", {.format = Format::ascii})),
                  Error);
}

TEST_CASE("a kind of warning is shown at its first places and counted behind them") {
  const std::string text = repeated(500, [](int i) {
    return fmt::format("R Hit {} 4 {} 1\n", i, i % 2 == 0 ? "0" : i % 5 == 0 ? "99e6" : "0.5");
  });
  const Reading in_us{.time_unit_ns = kMicrosecond};  // as the file says nowhere
  const Lint lint = lint_of(text, in_us);
  CHECK(lint.warnings == 500);
  CHECK(lint.findings.size() == 9);
  const auto count = [&](const std::string& what) {
    for (const Repeated& each : lint.repeated)
      if (each.what == what) return each.count;
    return std::uint64_t{0};
  };
  CHECK(lint.repeated.size() == 3);
  CHECK(count("a service time of 0: not measured") == 247);
  CHECK(count("a service time longer than any drive's") == 47);
  CHECK(count("a service time shorter than any drive's") == 197);
  CHECK_THAT(
      to_text(lint),
      Catch::Contains("t: warning: at 247 more places: a service time of 0: not measured\n") &&
          Catch::EndsWith("\nt (validate): 500 requests, 0 errors, 500 warnings\n"));
  const auto json = nlohmann::json::parse(to_json(lint));
  CHECK(json.at("findings_left_out") == 491);
  CHECK(json.at("warnings_repeated").at("a service time of 0: not measured") == 247);

  // What is not shown for want of room is counted by its kind, too.
  const Lint none = lint_of(text, in_us, 0);
  CHECK(none.findings.empty());
  CHECK(none.repeated.front().count == 250);
  CHECK_THAT(to_text(none), !Catch::Contains("and "));

  const std::string grown = repeated(20, [](int i) { return fmt::format("0,1,100,W,{}\n", i); });
  CHECK(lint_of(grown, {.round = true}).findings.size() == 3);
  CHECK(lint_of(grown).findings.size() == 20);  // errors are all shown
}

TEST_CASE("one is one, and an empty file has no format") {
  CHECK(to_text(lint_of("")) == "t: error: holds no request\nt: 0 requests, 1 error, 0 warnings\n");
  CHECK(lint_of(" \n\n").format == Format::detect);
  CHECK(nlohmann::json::parse(to_json(lint_of(""))).at("format").is_null());
  CHECK_THAT(to_text(lint_of("hello\n")),
             Catch::EndsWith("\nt: 0 requests, 1 error, 0 warnings\n"));
  CHECK_THAT(to_text(lint_of("R Hit 1 1 0 1\n")),
             Catch::EndsWith("\nt (validate): 1 request, 0 errors, 1 warning\n"));
}

TEST_CASE("lint says what is wrong with the whole") {
  check_finding(lint_of(""), 0, "error: holds no request");
  check_finding(lint_of("hello\n"), 0, "line 1, column 1: error: \"hello\" begins neither");
  check_finding(lint_of(std::string("\x1f\x8b\x08\0zz", 6)), 0,
                "error: is compressed with gzip and ends too early");
  check_finding(lint_of("$$TR_IOREC"), 0, "error: the header does not end");
  check_finding(lint_of(std::string("\7tae") + "x"), 0,
                "record 1, byte 0: error: the event and all after");
}

TEST_CASE("what lint calls free of errors can be read, what has errors cannot") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    const Holds& holds = kHolds[random() % std::size(kHolds)];
    std::string bytes;
    const auto writer = create_trace(string_sink(bytes), "t", holds.format);
    copy(*reader_of(random_trace(random, holds)), *writer);
    writer->finish();
    if (round % 3 > 0)
      for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    bool readable = true;
    try {
      const auto reader = open_trace(memory_source(bytes), "t", {.format = holds.format});
      read_trace(*reader);
    } catch (const Error&) {
      readable = false;
    }
    CAPTURE(round, name_of(holds.format));
    CHECK((lint_of(bytes, {.format = holds.format}).errors == 0) == readable);
  }
}

TEST_CASE("lint counts what it does not show, and is JSON for programs") {
  const Lint lint = lint_of(repeated(1000, [](int) { return "bad\n"; }), {.format = Format::ascii},
                            10);
  CHECK(lint.errors == 1001);  // and holds no request
  CHECK(lint.findings.size() == 10);
  const auto json = nlohmann::json::parse(to_json(lint));
  CHECK(json.at("schema").at("name") == "platter-trace-lint");
  CHECK(json.at("errors") == 1001);
  CHECK(json.at("findings_left_out") == 991);
  CHECK(json.at("findings").at(3).at("line") == 4);
  CHECK(json.at("findings").at(3).at("column") == 4);
  CHECK_THAT(to_text(lint),
             Catch::Contains("t, line 4, column 4: error: the line ends") &&
                 Catch::Contains("and 991 more") &&
                 Catch::EndsWith("t (ascii): 0 requests, 1001 errors, 0 warnings\n"));
}

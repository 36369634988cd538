// Traces whose times are in another unit than their format's.
#include "trace/time_doubt.h"

#include <fmt/format.h>

#include <sstream>

#include "catch.h"
#include "trace/trace.h"

namespace platter::trace {
namespace {

std::vector<Request> requests_of(const std::string& text, const Reading& reading = {}) {
  std::istringstream in(text);
  return read_trace(in, "t", reading).requests;
}

// 100 requests, `apart` between each and the next.
std::string ascii(double apart, const char* form = "{:.0f}") {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += fmt::format(fmt::runtime(form), 1000 + apart * i) + fmt::format(" 0 {} 8 1\n", 8 * i);
  return text;
}

}  // namespace

TEST_CASE("whole nanoseconds, as MQSim writes them, are not taken for milliseconds") {
  CHECK_THROWS_WITH(requests_of(ascii(250'000)), Catch::Contains("--time-unit s, ms, us or ns"));
  const auto requests = requests_of(ascii(250'000), {.time_unit_ns = 1});
  REQUIRE(requests.size() == 100);
  CHECK(requests[1].arrival_ns - requests[0].arrival_ns == 250'000);
}

TEST_CASE("seconds are not taken for milliseconds") {
  CHECK_THROWS_WITH(requests_of(ascii(0.0001, "{:.6f}")), Catch::Contains("1e-07 s (median)"));
  CHECK(requests_of(ascii(0.0001, "{:.6f}"), {.time_unit_ns = kSecond})[1].arrival_ns -
            requests_of(ascii(0.0001, "{:.6f}"), {.time_unit_ns = kSecond})[0].arrival_ns ==
        100'000);
}

TEST_CASE("times later than any trace has say what may be wrong with them") {
  CHECK_THROWS_WITH(requests_of("9900000000000 0 1 8 1\n"), Catch::Contains("--time-unit"));
}

TEST_CASE("what a drive's trace may be is not doubted") {
  CHECK(requests_of(ascii(5)).size() == 100);
  CHECK(requests_of(ascii(900)).size() == 100);
  CHECK(requests_of(ascii(60'000.25, "{:.3f}")).size() == 100);    // an idle drive, to the
                                                                   // microsecond
  CHECK(requests_of(ascii(0)).size() == 100);                      // all at once
  CHECK(requests_of("0 0 1 8 1\n9000000 0 1 8 1\n").size() == 2);  // too few to say
}

TEST_CASE("a format that says its unit takes no other") {
  CHECK_THROWS_WITH(
      requests_of("128166372003061629,src1,1,Read,8192,4096,41286\n", {.time_unit_ns = 1}),
      Catch::Contains("leave --time-unit out"));
}

}  // namespace platter::trace

namespace platter::trace {

TEST_CASE("an iolog in nanoseconds is doubted, and not one that platter wrote") {
  const auto iolog = [](const char* head, long apart) {
    std::string text = std::string(head) + "\n0 sda add\n0 sda open\n";
    for (int i = 0; i < 20; ++i) text += fmt::format("{} sda read 0 4096\n", apart * i);
    return text;
  };
  CHECK_THROWS_WITH(requests_of(iolog("fio version 3 iolog", 8'000'000)),
                    Catch::Contains("--time-unit s, ms, us or ns"));
  CHECK_THROWS_WITH(requests_of(iolog("fio version 3 iolog", 150'000)),
                    Catch::Contains("--time-unit"));
  CHECK(requests_of(iolog("fio version 3 iolog", 8'000)).size() == 20);
  CHECK(requests_of(iolog("fio version 3 iolog \t \t ", 8'000'000)).size() == 20);
  CHECK(requests_of(iolog("fio version 3 iolog", 150'000), {.time_unit_ns = 1})[1].arrival_ns ==
        150'000);
}

}  // namespace platter::trace

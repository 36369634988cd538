// Lines that are scanned in one go are what they are field by field: a blank in front keeps a line
// from being scanned. How much lies behind a line in the buffer makes no difference.
#include "trace/scan.h"

#include <fmt/format.h>

#include <random>
#include <sstream>

#include "catch.h"
#include "model/error.h"
#include "trace/trace.h"

using namespace platter;
using namespace platter::trace;

namespace {

const std::string kAscii = "0 0 8 8 1\n";
const std::string kMsr = "128166372003061629,usr,0,Read,7014609920,24576,41286\n";

// The last request, or the finding without its place.
std::string last_of(const std::string& text, Format format) {
  std::istringstream in(text);
  try {
    const Trace trace = read_trace(in, "t", {.format = format, .all_devices = true, .round = true});
    const Request& r = trace.requests.back();
    return fmt::format("{} {} {} {} {} {} {}", trace.requests.size(), r.arrival_ns, r.device, r.lbn,
                       r.blocks, r.write, r.service_ns.value_or(0));
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.substr(what.find(": ") + 2);
  }
}

void require_same(const std::string& before, const std::string& line, Format format) {
  INFO(line);
  REQUIRE(last_of(before + line, format) == last_of(before + " " + line, format));
  const std::string more = before + before;
  REQUIRE(last_of(before + line + more, format) == last_of(before + " " + line + more, format));
}

// Some characters of a line replaced, doubled or left out by those that lines are made of.
std::string changed(std::string line, std::mt19937_64& random) {
  constexpr std::string_view kCharacters = "0123456789 .,\t\r\nexRW-+9999999";
  for (std::uint64_t changes = random() % 4; changes > 0 && !line.empty(); --changes) {
    const std::size_t at = random() % line.size();
    const char c = kCharacters[random() % kCharacters.size()];
    switch (random() % 3) {
      case 0:
        line[at] = c;
        break;
      case 1:
        line.insert(at, 1 + random() % 12, c);
        break;
      default:
        line.erase(at, 1);
    }
  }
  return line;
}

}  // namespace

TEST_CASE("a scanned line is what its fields are") {
  std::mt19937_64 random(17);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t ms = random() % 9'000'000'000 >> random() % 33;
    require_same(
        kAscii,
        changed(fmt::format("{}.{:0{}} {} {} {} {:x}\n", ms, random() % 1000, 3 + random() % 7,
                            random() % 2, random() >> random() % 64, random() % 300, random() % 3),
                random),
        Format::ascii);
    require_same(
        kMsr,
        changed(fmt::format("{},usr,{},{},{},{},{}\n",
                            128166372003061629 + (random() >> (10 + random() % 54)), random() % 3,
                            random() % 2 ? "Read" : "Write", random() >> random() % 64,
                            random() % 100000, random() % 90000),
                random),
        Format::msr);
  }
}

TEST_CASE("what is wrong with a scanned line's request is told with its place") {
  const std::string late = "5.25 0 8 8 1\n";
  std::istringstream in(late + "2.5 0 8 8 1\n"), far(late + "9.5 0 99 8 1\n"),
      none(late + "9.5 0 7 0 1\n");
  CHECK_THROWS_WITH(read_trace(in, "t"), Catch::Contains("t, line 2, column 1: the arrival time"));
  CHECK_THROWS_WITH(read_trace(far, "t", {.blocks = 100}),
                    Catch::Contains("t, line 2, column 7: LBN 99"));
  CHECK_THROWS_WITH(read_trace(none, "t"), Catch::Contains("t, line 2, column 9: a request of 0"));
}

TEST_CASE("numbers and times that a scan takes") {
  std::uint32_t number = 0;
  Nanoseconds time_ns = 0;
  CHECK(Scan("4.123456789").time(time_ns, 1'000'000'000));
  CHECK(time_ns == 4'123'456'789);
  for (const std::size_t digits : {10, 11, 20})  // finer than 1 ns in any unit
    CHECK_FALSE(Scan("4." + std::string(digits, '0')).time(time_ns, 1'000'000'000));
  CHECK(Scan("4294967295").number(number));
  CHECK(number == 4294967295);
  CHECK_FALSE(Scan("4294967296").number(number));
  CHECK_FALSE(Scan("0000000000000000001").number(number));  // 19 digits
  CHECK_FALSE(Scan("x1").number(number));
  CHECK_FALSE(Scan("x1 and more than eight").number(number));
  for (const char* const behind :
       {"", " ", "/12345678", ":12345678", "\xff\xff\xff\xff\xff\xff\xff\xff"})
    for (const std::string digits : {"7", "42", "1234567", "12345678", "123456789", "99999999",
                                     "12345678901234567", "999999999999999999"}) {
      INFO(digits << behind);
      const std::string text = digits + behind;
      Scan scan(text);
      std::uint64_t wide = 0;
      CHECK(scan.number(wide));
      CHECK(std::to_string(wide) == digits);
      CHECK(scan.taken() == digits.size());
    }
  CHECK(Scan("12.345678 ").time(time_ns, kMillisecond));
  CHECK(time_ns == 12'345'678);
  CHECK(Scan(".5").time(time_ns, kMillisecond));
  CHECK(time_ns == 500'000);
  CHECK(Scan("7.").time(time_ns, kSecond));
  CHECK(time_ns == 7 * kSecond);
  CHECK_FALSE(Scan("12.3456789").time(time_ns, kMillisecond));  // is to be rounded
  CHECK_FALSE(Scan(".").time(time_ns, kMillisecond));
  CHECK_FALSE(Scan("9000000001").time(time_ns, kMillisecond));  // more than 104 days
}

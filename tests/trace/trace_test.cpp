#include "trace/trace.h"

#include <sstream>

#include "catch.h"
#include "model/error.h"

using namespace platter;
using namespace platter::trace;

namespace {

Trace read(const std::string& text, const Reading& reading = {}) {
  std::istringstream in(text);
  return read_trace(in, "t", reading);
}

std::string error_of(const std::string& text, const Reading& reading = {}) {
  try {
    read(text, reading);
  } catch (const Error& error) {
    REQUIRE(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "no error";
}

std::string written(const Trace& trace, Format format) {
  std::ostringstream out;
  write_trace(out, trace, format);
  return out.str();
}

}  // namespace

TEST_CASE("a validate trace is closed and carries the drive's service times") {
  const Trace trace = read(
      "R Miss  564347     2     14095.370     13876.270\r\n"
      "\n"
      "W Doub 1194877    15     17221.000     21894.380\n");
  REQUIRE(trace.kind == Kind::closed);
  REQUIRE(trace.requests.size() == 2);
  CHECK_FALSE(trace.requests[0].write);
  CHECK(trace.requests[0].tag.text() == "Miss");
  CHECK(trace.requests[0].lbn == 564347);
  CHECK(trace.requests[0].blocks == 2);
  CHECK(trace.requests[0].service_ns == 14'095'370);
  CHECK(trace.requests[0].think_ns == 13'876'270);
  CHECK(trace.requests[1].write);
}

TEST_CASE("an ascii trace is open; flag bit 0 is a read") {
  const Trace trace = read("13.191135\t30\t0\t5\t1\n24.5 30 7 24 40000000\n");
  REQUIRE(trace.kind == Kind::open);
  CHECK(trace.requests[0].arrival_ns == 13'191'135);
  CHECK_FALSE(trace.requests[0].write);
  CHECK(trace.requests[1].write);
  CHECK(trace.requests[1].device == 30);
}

TEST_CASE("both formats come back as they were written") {
  const std::string validate = "R Hit 12 4 663.000 45422.125\nW Hit 16 4 607.000 34200.000\n";
  CHECK(written(read(validate), Format::validate) == validate);
  const std::string ascii = "0.000000 3 12 4 1\n45.500001 3 99 8 0\n";
  CHECK(written(read(ascii), Format::ascii) == ascii);
}

TEST_CASE("open arrivals become think times, closed ones arrivals after the measured service") {
  CHECK(written(read("1.0 0 12 4 1\n3.5 0 99 8 0\n"), Format::validate) ==
        "R Hit 12 4 0.000 2500.000\nW Hit 99 8 0.000 0.000\n");
  CHECK(written(read("R Hit 12 4 1000 2000\nW Hit 99 8 500 0\n"), Format::ascii) ==
        "0.000000 0 12 4 1\n3.000000 0 99 8 0\n");
  std::string ages;
  for (int i = 0; i < 2000; ++i)
    ages += "R Hit 12 4 9e12 9e12\n";  // together more than 64 bits hold
  CHECK_THROWS_WITH(converted(read(ages, {.time_unit_ns = kMicrosecond}), Kind::open),
                    Catch::Contains("request 2 would arrive after"));
  CHECK_THROWS_AS(converted(read("R Hit 12 4 0 2000\nW Hit 99 8 500 0\n"), Kind::open), Error);
}

TEST_CASE("an error in a trace names file, line and column") {
  CHECK(error_of("R Hit 12 4 663.0 45422\nX Hit 1 1 1 1\n")
            .starts_with("t, line 2, column 1: \"X\""));
  CHECK(error_of("R Hit 12 4 663.0 45422\nR Hit 12 4 66")
            .starts_with("t, line 2, column 14: the line "
                         "ends after 5 of its 6 fields"));
  CHECK(error_of("R Hit 12 4 663.0 45422 7\n").starts_with("t, line 1, column 24: \"7\" follows"));
  CHECK(error_of("R Hit -12 4 663.0 45422\n").starts_with("t, line 1, column 7: the LBN \"-12\""));
  CHECK(error_of("R Hit 12 4294967296 663.0 1\n")
            .starts_with("t, line 1, column 10: the number of blocks 4294967296 is out of range"));
  CHECK(
      error_of("R Hit 12 0 663.0 1\n").starts_with("t, line 1, column 10: a request of 0 blocks"));
  CHECK(error_of("R Hit 12 4 nan 1\n").starts_with("t, line 1, column 12: the service time nan"));
  CHECK(error_of("R Hit 12 4 1e99 1\n").starts_with("t, line 1, column 12: the service time 1e99"));
  CHECK(error_of("1.0 0 12 4 1\n2.0 0 12 4 g\n")
            .starts_with("t, line 2, column 12: the flags \"g\""));
  CHECK(error_of("1.0 0 12 4 8\n").starts_with("t, line 1, column 12: the flags 8 hold bits"));
  CHECK(error_of("2.0 0 12 4 1\n1.0 0 12 4 1\n")
            .starts_with("t, line 2, column 1: the arrival time"));
  CHECK(error_of("hello\n").starts_with("t, line 1, column 1: \"hello\" begins neither"));
  // A file that is no trace may hold anything; a terminal is shown little of it.
  CHECK(error_of("\x1b[2J\xff\n").find("\"?[2J?\" begins neither") != std::string::npos);
  CHECK(error_of(std::string(10'000, 'x')).size() < 240);
  CHECK(error_of("") == "t holds no request");
  CHECK(error_of("R Hit 12 4 1 1\n", {.format = Format::ascii})
            .starts_with("t, line 1, column 14"
                         ": \"1\" follows"));
}

TEST_CASE("a request past the end of the drive is an error, the last one within is not") {
  CHECK(error_of("R Hit 96 4 1 1\n", {.blocks = 100}) == "no error");
  CHECK(error_of("R Hit 97 4 1 1\n", {.blocks = 100})
            .starts_with("t, line 1, column 7: LBN 97 with 4 blocks lies past the end"));
  CHECK(error_of("R Hit 18446744073709551615 4 1 1\n").find("past the end") != std::string::npos);
  CHECK_NOTHROW(require_within(read("R Hit 96 4 1 1\n"), 100));
  CHECK_THROWS_AS(require_within(read("R Hit 97 4 1 1\n"), 100), Error);
}

TEST_CASE("of several devices one is chosen") {
  const std::string text = "1.0 3 12 4 1\n2.0 5 13 4 1\n3.0 3 14 4 1\n";
  CHECK(error_of(text) ==
        "t holds requests for several devices (3, 5): choose one with "
        "--device-number N");
  CHECK(error_of(text, {.device = "4"}) == "t has no request for device 4; it has devices 3, 5");
  CHECK(read(text, {.device = "3"}).requests.size() == 2);
}

TEST_CASE("a time comes back to the nanosecond however long the trace is") {
  for (const Nanoseconds arrival_ns :
       {4'503'599'627'370'497, 8'999'999'999'999'999, 1'234'567'890'123'457}) {
    const Trace trace{.requests = {{}, {.arrival_ns = arrival_ns}}};
    for (const Format format : {Format::ascii, Format::spc, Format::blkparse, Format::blktrace})
      CHECK(read(written(trace, format), {.format = format}).requests[1].arrival_ns == arrival_ns);
  }
  const auto arrival_ns = [](const std::string& text) {
    return read(text + " 0 1 1 1\n").requests[0].arrival_ns;
  };
  CHECK(arrival_ns("1") == 1'000'000);
  CHECK(arrival_ns("1.") == 1'000'000);
  CHECK(arrival_ns(".5") == 500'000);
  CHECK(arrival_ns("0.0000004999") == 0);
  CHECK(arrival_ns("0.0000005") == 1);
  CHECK(arrival_ns("0.000000500000000000000000000") == 1);
  CHECK(arrival_ns("1.5e3") == 1'500'000'000);
  CHECK(arrival_ns("000000000000000000000001.000001") == 1'000'001);
  for (const char* text : {".", "1.2.3", "1e99", "-1", "1,5", "9000000000.000001", "9000000001"})
    CHECK(error_of(std::string(text) + " 0 1 1 1\n", {.format = Format::ascii})
              .starts_with("t, line 1, column 1"));
}

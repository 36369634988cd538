#include "emit/disksim_run/execution_trace.h"

#include <sstream>

#include "catch.h"

using namespace platter;
using namespace platter::emit_disksim_run;

namespace {

const std::vector<Asked> kAsked{{100, 0}, {7, 1'000'000}, {100, 2'000'000}, {0, 60'000'000}};

std::vector<Nanoseconds> read(const std::string& text) {
  std::istringstream trace(text);
  return completions(trace, kAsked, 1);
}

std::string cmu(const std::string& time, const std::string& lbn) {
  return "Request completion: simtime " + time + ", devno 0, blkno " + lbn + ", time 0.000000\n";
}

std::string refused(const std::string& text) {
  try {
    read(text);
  } catch (const Nonsense& nonsense) {
    return nonsense.what();
  }
  return "";
}

}  // namespace

TEST_CASE("completions of both DiskSims are found among other lines, in any order") {
  const std::vector<Nanoseconds> expected{5'000'000, 9'123'457, 7'000'000};
  CHECK(read(cmu("5.000000", "100") + cmu("7.000000", "100") + cmu("9.123457", "7")) == expected);
  CHECK(read("5.000000,0,0,100,8,1\nhello\n7.0,0,0,100,8,1\n9.123457,0,0,7,8,0\n") == expected);
  CHECK(read("Request issue: simtime 0.0, devno 0, blkno 7, time 0.0\n" + cmu("5.000000", "100") +
             cmu("7.000000", "100") + cmu("9.123457", "7") + cmu("61.0", "0")) == expected);
}

TEST_CASE("an execution trace that is no answer is refused with what is wrong in it") {
  const std::string whole = cmu("5.000000", "100") + cmu("7.000000", "100") + cmu("9.0", "7");
  CHECK(refused("") == "answered 0 of 3 requests");
  CHECK(refused(cmu("5.0", "100")) == "answered 1 of 3 requests");
  CHECK(refused(whole.substr(0, whole.size() - 30)) ==
        "wrote a completion that cannot be read (line 3 of its execution trace)");
  CHECK(refused(whole + cmu("9.0", "7")) ==
        "completed block 7 more often than it was asked for (line 4 of its execution trace)");
  CHECK(refused(cmu("5.0", "8")) ==
        "completed block 8 more often than it was asked for (line 1 of its execution trace)");
  CHECK(refused(cmu("0.5", "7")) ==
        "completed block 7 before its request arrived (line 1 of its execution trace)");
  for (const char* time : {"nan", "inf", "-1.0", "1e300", "99999999999999"})
    CHECK(refused(cmu(time, "7")) ==
          "completed block 7 at no time that there is (line 1 of its execution trace)");
  for (const char* time : {"", "x", "1e999", "1.0.0"})
    CHECK(refused(cmu(time, "7")) ==
          "wrote a completion that cannot be read (line 1 of its execution trace)");
  for (const char* lbn : {"-7", "99999999999999999999999", "seven"})
    CHECK(refused(cmu("5.0", lbn)) ==
          "wrote a completion that cannot be read (line 1 of its execution trace)");
  CHECK(refused(std::string(5000, 'x')) ==
        "wrote a line of more than 4096 letters into its execution trace (line 1)");
  std::string bytes;
  for (int i = 0; i < 4000; ++i) bytes += static_cast<char>(i * 37);
  CHECK(refused(bytes) == "answered 0 of 3 requests");
}

// Columns by name, and the text that has them.
#include "trace/columns.h"

#include <sstream>

#include "catch.h"
#include "model/error.h"
#include "trace/trace.h"

using namespace platter;
using namespace platter::trace;

namespace {

std::string error_of(const char* columns) {
  try {
    columns_of(columns);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::usage);
    return error.what();
  }
  return {};
}

Trace read(const std::string& text, const std::string& columns, Reading reading = {}) {
  std::istringstream in(text);
  reading.columns = columns;
  return read_trace(in, "t", reading);
}

std::string refusal(const std::string& text, const std::string& columns) {
  try {
    read(text, columns);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

const std::string kPlain = "time:us,op,offset:bytes,size:bytes,device";

}  // namespace

TEST_CASE("columns are named with their units") {
  const Columns columns = columns_of("-,time:ms,op:1r0w,offset:sectors,size:kb,response:us");
  REQUIRE(columns.list.size() == 6);
  CHECK(columns.list[0].role == Column::Role::ignored);
  CHECK(columns.list[1].unit_ns == kMillisecond);
  CHECK(columns.list[2].code == '1');
  CHECK(columns.list[3].unit_bytes == 512);
  CHECK(columns.list[4].unit_bytes == 1024);
  CHECK(columns.list[5].role == Column::Role::response);
  CHECK_FALSE(columns_of("time:s,op,offset:blocks,size:blocks").in_bytes);
}

TEST_CASE("what is wrong with named columns is said") {
  CHECK(error_of("time:us,op,offset:bytes") ==
        "the column size is not named; a trace needs time, op, offset and size");
  CHECK(error_of("time,op,offset:bytes,size:bytes") ==
        "the column time needs its unit, one of s, ms, us, ns, filetime: write time:s");
  CHECK(error_of("time:min,op,offset:bytes,size:bytes") ==
        "the column time has no unit \"min\"; there are s, ms, us, ns, filetime");
  CHECK(error_of("when:us,op,offset:bytes,size:bytes")
            .starts_with("there is no column \"when\" of a trace"));
  CHECK(error_of("time:us,time:s,op,offset:bytes,size:bytes")
            .starts_with("the column time is named 2 times"));
  CHECK(error_of("time:us,op,offset:blocks,size:bytes").starts_with("offset and size are both"));
  CHECK(error_of("time:us,op,offset:bytes,size:bytes,device:s") ==
        "the column device has no unit; leave \":s\" out");
  CHECK(error_of("").starts_with("there is no column \"\""));
}

TEST_CASE("commas, semicolons and blanks; quotes, headers and remarks") {
  const Trace commas = read(
      "# a remark\nwhen,what,where,how much,disk\n10,Read,512,1024,sda\n"
      "12,\"write\",\"0\",512,sda\n",
      kPlain);
  REQUIRE(commas.requests.size() == 2);
  CHECK(commas.requests[0].lbn == 1);
  CHECK(commas.requests[0].blocks == 2);
  CHECK(commas.requests[1].write);
  CHECK(commas.requests[1].arrival_ns == 2 * kMicrosecond);
  CHECK(read("10;R;512;1024;sda\n", kPlain).requests.size() == 1);
  CHECK(read("10 R 512 1024 sda\n11\tWS\t512\t1024\tsda\n", kPlain).requests.size() == 2);
}

TEST_CASE("operations as digits and as SCSI opcodes") {
  const std::string rest = ",offset:sectors,size:bytes";
  CHECK(read("1,0,8,512\n", "time:s,op:1r0w" + rest).requests[0].write);
  CHECK_FALSE(read("1,0,8,512\n", "time:s,op:0r1w" + rest).requests[0].write);
  CHECK(read("1,0,8,512\n2,2,8,512\n", "time:s,op:0r1w" + rest).requests.size() == 1);
  const Trace scsi = read("1,28,8,512\n2,2a,8,512\n3,12,0,36\n4,0x8A,8,512\n",
                          "time:s,op:scsi" + rest);
  REQUIRE(scsi.requests.size() == 3);
  CHECK_FALSE(scsi.requests[0].write);
  CHECK(scsi.requests[1].write);
  CHECK(scsi.requests[2].write);
  CHECK(refusal("1,read,8,512\n", "time:s,op:scsi" + rest).find("op:scsi") != std::string::npos);
}

TEST_CASE("times of a clock are exact, and in order within a few thousand places") {
  const Trace trace = read("1456099200.529698001,R,0,512,0\n1456099200.529698000,R,512,512,0\n",
                           "time:s,op,offset:bytes,size:bytes,device");
  REQUIRE(trace.requests.size() == 2);
  CHECK(trace.requests[0].lbn == 1);
  CHECK(trace.requests[1].arrival_ns == 1);
}

TEST_CASE("devices by name") {
  const std::string text = "1,R,0,512,sda\n2,R,512,512,sdb\n3,W,1024,512,sda\n";
  CHECK(refusal(text, kPlain) ==
        "t holds requests for several devices (sda, sdb): choose one with --device-number N");
  CHECK(read(text, kPlain, {.device = "sda"}).requests.size() == 2);
  CHECK(read(text, kPlain, {.all_devices = true}).requests.size() == 3);
}

TEST_CASE("what is wrong in a line is named with its place") {
  CHECK(refusal("10,R,512,1024,0\n1.2E+15,R,0,512,0\n", kPlain)
            .starts_with("t, line 2, column 1: the time 1.2E+15 is rounded"));
  CHECK(
      refusal("10,0,512,1024,0\n", kPlain).starts_with("t, line 1, column 4: the operation \"0\""));
  CHECK(refusal("10,R,-512,1024,0\n", kPlain) ==
        "t, line 1, column 6: the offset \"-512\" is no whole number");
  CHECK(refusal("10,R,512,1024\n", kPlain)
            .starts_with("t, line 1, column 14: the line ends after 4"));
  CHECK(refusal("10,R,18446744073709551616,1024,0\n", kPlain)
            .starts_with("t, line 1, column 6: the offset"));
  CHECK(refusal("10,R,18446744073709551615,1024,0\n", "time:us,op,offset:sectors,size:bytes,device")
            .find("past the end of any drive") != std::string::npos);
  CHECK(refusal("10,R,512,512,s\x94"
                "a\n",
                kPlain) ==
        "t, line 1, column 14: the device \"s?a\" is no name of at most 64 plain characters");
  CHECK(refusal("10,R,512,512,../a\n", kPlain).find("no name") != std::string::npos);
  CHECK(refusal("10,R,512,512,0\n99999999999999999999,R,512,512,0\n", kPlain).find("104 days") !=
        std::string::npos);
}

TEST_CASE("numbers as other countries and programs write them") {
  const Trace comma = read(
      "0\t0,000000\t0,00012207\t\tWrite\t9437184\t8\n"
      "1\t0,019531\t0,00048828\t\tRead\t1228799\t256\n",
      "-,time:s,response:s,-,op,offset:sectors,size:sectors,decimal=comma");
  REQUIRE(comma.requests.size() == 2);
  CHECK(comma.requests[1].arrival_ns == 19'531'000);
  CHECK(comma.requests[0].service_ns == 122'070);
  const Trace thousands = read("W;1.001,5;16.384;0x200\nR;1.002,25;1.048.576;0x4200\n",
                               "op,time:s,size:bytes,offset:bytes,decimal=comma,thousands");
  REQUIRE(thousands.requests.size() == 2);
  CHECK(thousands.requests[1].arrival_ns == 750'000'000);
  CHECK(thousands.requests[1].blocks == 2048);
  CHECK(thousands.requests[0].lbn == 1);
  CHECK(read("R,\"1,001.5\",512,\"1,024\"\n", "op,time:s,offset:bytes,size:bytes,thousands")
            .requests[0]
            .blocks == 2);
  CHECK(refusal("W;1;16.38;512\n", "op,time:s,size:bytes,offset:bytes,thousands")
            .find("no whole number") != std::string::npos);
  CHECK(read("1,R,1000,200\n", "time:s,op,offset:bytes:hex,size:bytes:hex").requests[0].lbn == 8);
  CHECK(read("1,R,1000,200\n", "time:s,op,offset:bytes,size:bytes,hex").requests[0].blocks == 1);
}

TEST_CASE("the rest of a line, wherever it stands") {
  const Trace behind = read("1 R 8 16 a b c\n2 W 8 16\n",
                            "time:s,op,offset:sectors,size:sectors,...");
  CHECK(behind.requests.size() == 2);
  const Trace amid = read(
      "1.5 1.6 Web Content 12 RA 202,1 8 4096 100\n1.7 1.8 a 12 W 202,1 16 512 100\n",
      "time:s,-,...,op,device,offset:sectors,size:bytes,response:ms");
  REQUIRE(amid.requests.size() == 2);
  CHECK(amid.requests[0].lbn == 8);
  CHECK(amid.requests[1].service_ns == 100 * kMillisecond);
  CHECK(error_of("time:us,...,op,...,offset:bytes,size:bytes")
            .starts_with("the column ... is named"));
}

TEST_CASE("what stands in front of the first line that fits is counted, or a line is named") {
  const std::string text = "by somebody, for tests\n\nstart;sector;length;op\n1;8;16;R\n2;9;1;W\n";
  const std::string columns = "time:s,offset:sectors,size:sectors,op";
  std::istringstream in(text);
  const auto reader = open_trace(stream_source(in, "t"), "t", {.columns = columns});
  CHECK(read_trace(*reader).requests.size() == 2);
  std::uint64_t front = 0;
  for (const Skipped& each : reader->skipped())
    if (each.what.starts_with("lines in front")) front += each.count;
  CHECK(front == 2);
  CHECK(read("1;8;16;R\n2;9;1;W\n", columns + ",from=2").requests.size() == 1);
  CHECK(refusal("x\n1;8;16;R\nno\n2;9;1;W\n", columns).starts_with("t, line 3"));
  CHECK(error_of("time:s,op,offset:bytes,size:bytes,from=0").find("no number of a line") !=
        std::string::npos);
}

TEST_CASE("words of operations") {
  const std::string columns = "time:s,op:RD=R,WR_IN=W,NOP=-,offset:sectors,size:sectors";
  const Trace trace = read("1,RD,0,1\n2,WR_IN,0,1\n3,NOP,0,1\n4,ERASE,0,1\n", columns);
  REQUIRE(trace.requests.size() == 2);
  CHECK(trace.requests[1].write);
  CHECK(read("1,RD_IN,0,1\n2,WRITE_10,0,1\n3,Read(16),0,1\n4,READ_CAPACITY,0,1\n",
             "time:s,op,offset:sectors,size:sectors")
            .requests.size() == 3);
  CHECK(error_of("time:s,op:RD=X,offset:bytes,size:bytes").find("WORD=R") != std::string::npos);
}

TEST_CASE("an expression finds the parts of a line by named groups") {
  Reading reading{
      .line_regex =
          R"(^\[(?P<time_us>\d+)\] (?<op>\w+) @(?P<offset_sectors>\d+)\+(?P<size_sectors>\d+)(?: took (?P<response_us>\d+))?)"};
  std::istringstream in("log begins\n[10] read @8+16 took 300\n[15] write @0+1\n");
  const auto reader = open_trace(stream_source(in, "t"), "t", reading);
  const Trace trace = read_trace(*reader);
  REQUIRE(trace.requests.size() == 2);
  CHECK(trace.requests[0].service_ns == 300 * kMicrosecond);
  CHECK(trace.requests[1].arrival_ns == 5 * kMicrosecond);
  CHECK(trace.requests[1].write);
  REQUIRE(reader->skipped().size() == 1);
  CHECK(reader->skipped()[0].what == "lines that the expression does not match");
  reading.line_regex =
      R"((?P<time_s>\S+) (?:(?P<read>r)|(?P<write>w)) (?P<offset_bytes_hex>\w+) (?P<size_bytes>\d+))";
  std::istringstream ways("1 r 200 512\n2 w 400 512\n");
  const Trace both = read_trace(ways, "t", reading);
  REQUIRE(both.requests.size() == 2);
  CHECK(both.requests[1].write);
  CHECK(both.requests[1].lbn == 2);
  for (const char* bad : {"(", "(?P<time_s>.)", "(?P<when_s>.)"}) {
    std::istringstream none("a\n");
    reading.line_regex = bad;
    CHECK_THROWS_AS(read_trace(none, "t", reading), Error);
  }
}

TEST_CASE("a table of no known format is told with the columns that fit it") {
  const auto told = [](const std::string& text) {
    std::istringstream in(text);
    try {
      read_trace(in, "t.csv");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(told("time,op,offset,size\n0.5,R,0x1000,512\n")
            .ends_with("platter trace lint t.csv --csv-columns time:s,op,offset:bytes,size:bytes"));
  CHECK(told("id\tTimestamp(us)\tLBA\tBytes\tRW\n7\t1000\t8\t512\t1\n")
            .ends_with("--csv-columns -,time:us,offset:sectors,size:bytes,op:0r1w"));
  CHECK(told("0\t0,5\t0,001\t\tWrite\t9\t8\n")
            .ends_with("--csv-columns -,time:s,response:s,-,op,offset:sectors,size:sectors,"
                       "decimal=comma"));
  CHECK(told("nothing of a trace\n").find("perhaps") == std::string::npos);
}

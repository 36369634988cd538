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

TEST_CASE("every published collection has sound columns") {
  for (const std::string& name : format_names())
    if (const std::string_view columns = published_columns(format_of(name)); !columns.empty())
      CHECK(columns_of(columns).list.size() >= 4);
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

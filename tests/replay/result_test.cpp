#include "replay/result.h"

#include <unistd.h>

#include <filesystem>

#include "catch.h"
#include "model/error.h"
#include "model/file.h"

using namespace platter;
using namespace platter::replay;

namespace {

struct ResultName {
  std::string path = std::filesystem::temp_directory_path() /
                     ("platter-result-" + std::to_string(::getpid()) + ".csv");
  ~ResultName() { std::filesystem::remove(path); }
};

std::string error_of(const std::string& content) {
  const ResultName file;
  model::write_file(file.path, content);
  try {
    load_result(file.path);
  } catch (const Error& error) {
    return std::string(error.what()).substr(file.path.size());
  }
  return "no error";
}

constexpr const char* kHead =
    R"(# {"schema":{"name":"platter-replay-result","version":"1.0"},"target":"drive","name":"d","trace":"t","mode":"open",)"
    R"("depth":1,"caches":"off","block_bytes":512})"
    "\npart,op,lbn,blocks,due_ns,issue_ns,response_ns,media,waited_ns\n";

}  // namespace

TEST_CASE("a result comes back as it was saved") {
  Result result;
  result.target = Result::Target::model;
  result.name = "a \"model\"";
  result.trace = "t.trace";
  result.kind = trace::Kind::closed;
  result.depth = 4;
  result.caches = "off";
  result.block_bytes = 4096;
  result.period_ns = 5985037.406483791;
  result.phase_ns = -12.5;
  result.block_transfer_ns = 170100.25;
  result.outside_validity = 3;
  result.retries = 2;
  result.reference = {{.lbn = 5, .issue_ns = 1, .response_ns = 2, .media = true}};
  result.requests = {{.lbn = 1ull << 40,
                      .blocks = 9,
                      .write = true,
                      .due_ns = 3,
                      .issue_ns = 4,
                      .response_ns = 5,
                      .media = false},
                     {.lbn = 7, .response_ns = 8}};
  const ResultName file;
  save_result(result, file.path);
  const Result again = load_result(file.path);
  CHECK(again.target == result.target);
  CHECK(again.name == result.name);
  CHECK(again.trace == result.trace);
  CHECK(again.kind == result.kind);
  CHECK(again.depth == 4);
  CHECK(again.caches == "off");
  CHECK(again.block_bytes == 4096);
  CHECK(again.period_ns == result.period_ns);
  CHECK(again.phase_ns == result.phase_ns);
  CHECK(again.block_transfer_ns == result.block_transfer_ns);
  CHECK(again.outside_validity == 3);
  CHECK(again.retries == 2);
  REQUIRE(again.reference.size() == 1);
  CHECK(again.reference[0].media == true);
  REQUIRE(again.requests.size() == 2);
  CHECK(again.requests[0].lbn == 1ull << 40);
  CHECK(again.requests[0].blocks == 9);
  CHECK(again.requests[0].write);
  CHECK(again.requests[0].due_ns == 3);
  CHECK(again.requests[0].issue_ns == 4);
  CHECK(again.requests[0].response_ns == 5);
  CHECK(again.requests[0].media == false);
  CHECK_FALSE(again.requests[1].media.has_value());
}

TEST_CASE("a validate trace is the result of the drive it was taken on") {
  const ResultName file;
  model::write_file(file.path, "W Hit 4583176 4 663.0 45422.0\nW Hit 4583180 4 607.0 34200.0\n");
  const Result result = load_result(file.path);
  CHECK(result.kind == trace::Kind::closed);
  REQUIRE(result.requests.size() == 2);
  CHECK(result.requests[0].issue_ns == 0);
  CHECK(result.requests[0].response_ns == 663'000);
  CHECK(result.requests[1].issue_ns == 663'000 + 45'422'000);
  model::write_file(file.path, "W Hit 4583176 4 0 45422.0\n");
  CHECK_THROWS_AS(load_result(file.path), Error);
}

TEST_CASE("an open trace with service times is a result, each request issued when it arrived") {
  const ResultName file;
  // Microsoft's: file time, host, disk, type, offset, size, response, in 100 ns and bytes.
  model::write_file(file.path, "1000,usr,0,Read,4096,8192,50\n1600,usr,0,Write,512,512,90\n");
  const Result result = load_result(file.path);
  CHECK(result.kind == trace::Kind::open);
  REQUIRE(result.requests.size() == 2);
  CHECK(result.requests[0].issue_ns == 0);
  CHECK(result.requests[0].blocks == 16);
  CHECK(result.requests[1].due_ns == 60'000);
  CHECK(result.requests[1].issue_ns == 60'000);
  CHECK(result.requests[1].response_ns == 9'000);
  CHECK(result.requests[1].write);
  model::write_file(file.path, "0 0 8 8 1\n");
  CHECK_THROWS_WITH(load_result(file.path), Catch::Contains("has no measured service time"));
  model::write_file(file.path,
                    "#DUMP_OFFSET.I,ELAPSED_USECS.D,CMD.S,LUN_SSID.I,LBA.I,NBLKS.I,"
                    "LATENCY_USECS.D\n0,0.5,RD,1,64,8,20.25\n");
  CHECK(load_result(file.path).requests.at(0).response_ns == 20'250);
}

TEST_CASE("a damaged result names its line and its field") {
  const std::string head = kHead;
  CHECK(error_of(head + "trace,R,1,1,0,0,5,,0\n") == "no error");
  CHECK(error_of(head + "trace,R,1,1,0,0,5,,0") == "no error");  // another program's last line
  CHECK(error_of(head + "trace,R,1,1,0,0,5,,0\ntrace,R,1,1,0\n")
            .starts_with(", line 4, column 14: the line has 5 fields; a row is part,op,"));
  CHECK(error_of(head + "trace,R,1,1,0,0,-5,,0\n")
            .starts_with(", line 3, column 17: a response time below 0"));
  CHECK(error_of(head + "trace,Q,1,1,0,0,5,,0\n").starts_with(", line 3, column 7: op is neither"));
  CHECK(
      error_of(head + "both,R,1,1,0,0,5,,0\n").starts_with(", line 3, column 1: part is neither"));
  CHECK(
      error_of(head + "trace,R,1,1,0,0,5,2,0\n").starts_with(", line 3, column 19: media is not"));
  CHECK(error_of(head + "trace,R,1,4294967296,0,0,5,,0\n")
            .starts_with(", line 3, column 11: blocks 4294967296 is out of range"));
  CHECK(error_of(head + "trace,R,1,1,0,0,5,,x\n")
            .starts_with(", line 3, column 20: waited_ns \"x\" is no whole number"));
  CHECK(error_of(head + "trace,R,1,1,0,0,5,\n").starts_with(", line 3, column 19: the line has 8"));
  CHECK(error_of(head + "trace,R,1,1,0,0,5,,0,0\n").find("the line has 10 fields") < 40);
  CHECK(error_of(head + "trace,R,1,1,-9223372036854775807,9223372036854775807,5,,0\n")
            .find("a time of more than 73 years") < 40);
  CHECK(error_of(head) == ": holds no request");
  CHECK(error_of(head.substr(0, head.rfind(",waited_ns")) + "\ntrace,R,1,1,0,0,5,\n")
            .starts_with(", line 2: the columns are not part,op,"));
  CHECK(error_of("# {\"schema\":\"x/9\"}\n").starts_with(": its schema is \"x/9\""));
  CHECK(error_of("# nonsense\n").starts_with(": its first line is not the header"));
}

TEST_CASE("a result that lost rows is refused, where its head tells of them") {
  Result result;
  result.requests.resize(3);
  const ResultName file;
  save_result(result, file.path);
  const std::string whole = model::read_file(file.path);
  CHECK(error_of(whole) == "no error");
  CHECK(error_of(whole.substr(0, whole.rfind("trace,"))) ==
        ": has 2 rows, its head tells of 3; take the whole file");
  CHECK(error_of(whole + "trace,R,0,1,0,0,0,,0\n") ==
        ": has 4 rows, its head tells of 3; take the whole file");
  CHECK(error_of(whole.substr(0, whole.size() - 1)) ==
        ", line 5: its end is missing; take the whole file");
  std::string head = kHead;
  head.insert(head.find("\"block_bytes"), "\"rows\":-1,");
  CHECK(error_of(head + "trace,R,1,1,0,0,5,,0\n") == ": its head's rows are no number of rows");
}

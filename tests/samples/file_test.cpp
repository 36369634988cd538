#include "samples/file.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "catch.h"
#include "model/error.h"
#include "model/file.h"

using namespace platter;
using samples::Json;
using samples::Line;
using samples::Reader;
using samples::Writer;

namespace {

std::string two_lines() {
  std::ostringstream text;
  model::Identity drive;
  drive.product = "P";
  drive.serial = "SN42";
  drive.blocks = 7;
  Writer file(text, drive);
  file.add("timing", {{"lbn", 18446744073709551615u}, {"phase_rev", 0.1}});
  file.add("cache_probe", {{"lbn", 2}});
  return text.str();
}

std::string refusal(const std::string& text) {
  std::istringstream in(text);
  try {
    Reader(in, "x.jsonl").each([](const Line& line) { (void)line.fields.at("lbn").get<int>(); });
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "";
}

std::string head() { return two_lines().substr(0, two_lines().find('\n') + 1); }

}  // namespace

TEST_CASE("raw samples: what was written is read, with the drive it is of") {
  std::istringstream in(two_lines());
  Reader file(in, "x.jsonl");
  CHECK_FALSE(file.drive().empty());
  std::vector<Line> lines;
  file.each([&](const Line& line) { lines.push_back(line); });
  REQUIRE(lines.size() == 2);
  CHECK_FALSE(file.cut());
  CHECK(lines[0].payload == "timing");
  CHECK(lines[0].number == 2);
  CHECK(lines[0].fields.at("lbn").get<std::uint64_t>() == ~std::uint64_t{0});
  CHECK(lines[0].fields.at("phase_rev").get<double>() == 0.1);
  CHECK(lines[1].payload == "cache_probe");
}

TEST_CASE("raw samples: a file cut anywhere gives its whole lines, and says so") {
  const std::string text = two_lines();
  const std::size_t first = text.find('\n') + 1;
  for (std::size_t size = first; size <= text.size(); ++size) {
    std::istringstream in(text.substr(0, size));
    Reader file(in, "x.jsonl");
    std::size_t lines = 0;
    file.each([&](const Line&) { ++lines; });
    CHECK(lines + 1 ==
          static_cast<std::size_t>(std::count(text.begin(), text.begin() + size, '\n')));
    CHECK(file.cut() == (text[size - 1] != '\n'));
  }
}

TEST_CASE("raw samples: what is no such file is refused in one sentence") {
  CHECK_THAT(refusal(""), Catch::StartsWith("x.jsonl: does not begin with the line"));
  CHECK_THAT(refusal("{\"timing\":{}}\n"), Catch::StartsWith("x.jsonl: does not begin"));
  CHECK_THAT(refusal("not JSON\n"), Catch::StartsWith("x.jsonl: does not begin"));
  CHECK_THAT(refusal("{\"schema\":[\"x\"]}\n"), Catch::StartsWith("x.jsonl: does not begin"));
  std::string older = head();
  older.replace(older.find("5.1"), 3, "3.0");
  CHECK_THAT(refusal(older), Catch::Contains("version \"3.0\", and this platter reads 4.x to 5.x"));
  CHECK_THAT(refusal(head() + "{\"timing\":{}}\n"), Catch::StartsWith("x.jsonl: line 2 is no raw"));
  CHECK_THAT(refusal(head() + "[1]\n"), Catch::Contains("line 2"));
  CHECK_THAT(refusal(head() + "{\"a\":{},\"b\":{}}\n"), Catch::Contains("line 2"));
  const std::string long_line(model::kLargestFile + 1, ' ');
  CHECK_THAT(refusal(head() + long_line + "\n"), Catch::Contains("longer"));
  CHECK_THAT(refusal(head() + long_line), Catch::Contains("longer"));
}

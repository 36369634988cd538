#include "samples/file.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "catch.h"
#include "damage.h"
#include "model/checked_line.h"
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

std::string checked(const std::string& object, std::uint64_t number = 2) {
  return model::checked_line(object, number) + "\n";
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
    // A line of which only the end is missing is whole.
    const auto ends = std::count(text.begin(), text.begin() + size, '\n');
    const bool all_but_its_end = size < text.size() && text[size] == '\n';
    CHECK(lines + 1 == static_cast<std::size_t>(ends) + (all_but_its_end ? 1 : 0));
    CHECK(file.cut() == (text[size - 1] != '\n' && !all_but_its_end));
  }
}

TEST_CASE("raw samples: a line that is not as it was written is refused") {
  const std::string text = two_lines();
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const int bit : {0, 3, 6}) {
      std::string changed = text;
      changed[at] = static_cast<char>(changed[at] ^ 1 << bit);
      INFO(changed);
      // Without its end the last line is whole, or cut off.
      if (at + 1 == text.size()) continue;
      CHECK_FALSE(refusal(changed).empty());
    }
  const std::size_t second = text.find('\n') + 1, third = text.find('\n', second) + 1;
  CHECK_THAT(refusal(text.substr(0, second) + text.substr(third)), Catch::Contains("are missing"));
  CHECK_THAT(refusal(text.substr(0, third) + text.substr(second)), Catch::Contains("there twice"));
}

TEST_CASE("raw samples: what is no such file is refused in one sentence") {
  CHECK_THAT(refusal(""), Catch::StartsWith("x.jsonl: does not begin with the line"));
  CHECK_THAT(refusal("{\"timing\":{}}\n"), Catch::StartsWith("x.jsonl: does not begin"));
  CHECK_THAT(refusal("not JSON\n"), Catch::StartsWith("x.jsonl: does not begin"));
  CHECK_THAT(refusal("{\"schema\":[\"x\"]}\n"), Catch::StartsWith("x.jsonl: does not begin"));
  std::string older = head();
  older.replace(older.find("\"6.") + 1, 3, "5.1");
  CHECK_THAT(refusal(older), Catch::Contains("version \"5.1\", and this platter reads 6.x"));
  CHECK_THAT(refusal(head() + "{\"timing\":{}}\n"), Catch::StartsWith("x.jsonl: line 2 is no raw"));
  CHECK_THAT(refusal(head() + checked("{\"timing\":{}}")), Catch::Contains("line 2"));
  CHECK_THAT(refusal(head() + checked("{\"a\":{},\"b\":{}}")), Catch::Contains("payload's name"));
  const std::string long_line(model::kLargestFile + 1, ' ');
  CHECK_THAT(refusal(head() + long_line + "\n"), Catch::Contains("longer"));
  CHECK_THAT(refusal(head() + long_line), Catch::Contains("longer"));
}

TEST_CASE("raw samples: what nobody knows is passed over in a newer file alone") {
  const auto passed_over = [](const std::string& version) {
    const std::string text = two_lines();
    Json object = Json::parse(text.substr(0, text.find('\n')));
    object.erase("line");
    object["schema"]["version"] = version;
    std::istringstream in(checked(object.dump(), 1) + text.substr(text.find('\n') + 1));
    Reader file(in, "x.jsonl");
    file.each([&](const Line& line) { file.pass_over(line.payload); });
    return file.passed_over().members;
  };
  const model::FormatVersion own = model::version_of("platter-samples");
  CHECK(passed_over(model::text_of({own.major, own.minor + 1})) ==
        std::set<std::string>{"cache_probe", "timing"});
  CHECK_THROWS_WITH(passed_over(model::text_of(own)),
                    Catch::Contains("line 2 is no raw sample (\"timing\" is no member of version"));
  CHECK_THROWS_WITH(passed_over(model::text_of({own.major + 1, own.minor})),
                    Catch::Contains("reads"));
}

// A run's: as many lines as it takes for most damage to lie in the middle.
TEST_CASE("2,000 damaged files of raw samples: refused, or whole as far as they go") {
  constexpr std::size_t kLines = 60;
  std::ostringstream written;
  model::Identity drive;
  drive.serial = "SN42";
  Writer file(written, drive);
  std::vector<Json> all;
  for (std::size_t i = 0; i < kLines; ++i) {
    all.push_back({{"lbn", 977 * i},
                   {"completed_ns", 123456789 * i},
                   {"phase_rev", 0.125 * static_cast<double>(i)}});
    file.add("timing", all.back());
  }
  const std::string whole = written.str();
  testing::Damage damage(7);
  std::size_t refused = 0, cut = 0, short_of_lines = 0;
  for (std::size_t i = 0; i < testing::Damage::kMutants; ++i) {
    const std::string mutant = damage.of(whole);
    INFO(i << ": " << mutant);
    std::istringstream in(mutant);
    std::vector<Json> read;
    try {
      Reader reader(in, "x.jsonl");
      reader.each([&](const Line& line) { read.push_back(line.fields); });
      // Only the end is missing, and that is told unless it is missing from a line's end on.
      CHECK(whole.starts_with(mutant.substr(0, mutant.rfind('\n') + 1)));
      const std::size_t at = mutant.size();
      const bool between = mutant.ends_with('\n') ||
                           (whole.starts_with(mutant) && whole[at] == '\n');
      CHECK(reader.cut() == !between);
      cut += reader.cut();
      short_of_lines += !reader.cut();
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::bad_input);
      ++refused;
    }
    REQUIRE(read.size() <= all.size());
    CHECK(std::equal(read.begin(), read.end(), all.begin()));
  }
  CHECK(refused > testing::Damage::kMutants / 2);
  CHECK(cut > testing::Damage::kMutants / 10);
  CHECK(short_of_lines < testing::Damage::kMutants / 50);
}

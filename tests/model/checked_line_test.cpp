#include "model/checked_line.h"

#include <random>

#include "catch.h"

namespace platter::model {
namespace {

const std::string kObject = R"({"lbn":5,"text":"a \",\"line\":[1,2,\"00000000\"]} b"})";

TEST_CASE("a checked line is told from one of which any bit was changed, or any part is missing") {
  const std::string line = checked_line(kObject, 12);
  const auto whole = as_checked_line(line);
  REQUIRE(whole);
  CHECK(whole->number == 12);
  CHECK(whole->object == kObject);
  CHECK(line.starts_with(kObject.substr(0, kObject.size() - 1) + ",\"line\":[12,"));
  for (std::size_t i = 0; i < line.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = line;
      changed[i] = static_cast<char>(changed[i] ^ 1 << bit);
      INFO(changed);
      CHECK_FALSE(as_checked_line(changed));
    }
    CHECK_FALSE(as_checked_line(line.substr(0, i)));
    if (i > 0) CHECK_FALSE(as_checked_line(line.substr(i)));
  }
}

// As docs/safety.md tells those who read one in Python.
TEST_CASE("the checksum is that of zlib, over all that stands before it") {
  CHECK(checked_line(R"({"a":1})", 3) == R"({"a":1,"line":[3,6,"343f3828"]})");
}

TEST_CASE("whole lines are found whatever lies between them") {
  std::string text;
  for (std::uint64_t number = 1; number <= 5; ++number)
    text += checked_line("{\"n\":" + std::to_string(number) + "}", number) + "\n";
  const auto numbers_in = [](const std::string& of) {
    std::vector<std::uint64_t> numbers;
    for (const CheckedLine& line : checked_lines_in(of)) numbers.push_back(line.number);
    return numbers;
  };
  CHECK(numbers_in(text) == std::vector<std::uint64_t>{1, 2, 3, 4, 5});
  const std::size_t end = text.find('\n'), second = text.find('\n', end + 1);
  std::string changed = text;
  changed[end] = 'x';  // two lines are one
  CHECK(numbers_in(changed) == std::vector<std::uint64_t>{1, 2, 3, 4, 5});
  changed = text;
  changed.replace(end + 3, second - end, second - end, '\0');  // over an end, too
  CHECK(numbers_in(changed) == std::vector<std::uint64_t>{1, 4, 5});
  changed = text.substr(0, end) + text.substr(end + 4);
  CHECK(numbers_in(changed) == std::vector<std::uint64_t>{1, 3, 4, 5});
}

TEST_CASE("lines that claim to overlap cost no more than a few looks at each byte") {
  std::string text(1 << 20, 'x');
  for (int i = 0; i < 100'000; ++i)
    text += ",\"line\":[1," + std::to_string(text.size()) + ",\"00000000\"]}";
  CHECK(checked_lines_in(text).empty());
}

}  // namespace
}  // namespace platter::model

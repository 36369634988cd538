#include "registry/canonical_json.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "catch.h"
#include "model/error.h"

namespace platter::registry {
namespace {

std::string canonical(const std::string& text) { return canonical_json(text, "test"); }

// RFC 8785, appendix B: the bits of a double, and what ECMAScript makes of it.
TEST_CASE("numbers are those of RFC 8785, appendix B") {
  struct Sample {
    std::uint64_t bits;
    const char* text;
  };
  const Sample samples[] = {{0x0000000000000000, "0"},
                            {0x8000000000000000, "0"},
                            {0x0000000000000001, "5e-324"},
                            {0x8000000000000001, "-5e-324"},
                            {0x7fefffffffffffff, "1.7976931348623157e+308"},
                            {0xffefffffffffffff, "-1.7976931348623157e+308"},
                            {0x4340000000000000, "9007199254740992"},
                            {0xc340000000000000, "-9007199254740992"},
                            {0x4430000000000000, "295147905179352830000"},
                            {0x44b52d02c7e14af5, "9.999999999999997e+22"},
                            {0x44b52d02c7e14af6, "1e+23"},
                            {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
                            {0x444b1ae4d6e2ef4e, "999999999999999700000"},
                            {0x444b1ae4d6e2ef4f, "999999999999999900000"},
                            {0x444b1ae4d6e2ef50, "1e+21"},
                            {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
                            {0x3eb0c6f7a0b5ed8d, "0.000001"},
                            {0x41b3de4355555553, "333333333.3333332"},
                            {0x41b3de4355555554, "333333333.33333325"},
                            {0x41b3de4355555555, "333333333.3333333"},
                            {0x41b3de4355555556, "333333333.3333334"},
                            {0x41b3de4355555557, "333333333.33333343"},
                            {0xbecbf647612f3696, "-0.0000033333333333333333"},
                            {0x43143ff3c1cb0959, "1424953923781206.2"}};
  for (const Sample& sample : samples) {
    CHECK(ecmascript_number(std::bit_cast<double>(sample.bits)) == sample.text);
  }
  CHECK_THROWS_AS(ecmascript_number(std::bit_cast<double>(0x7fffffffffffffffULL)), Error);
  CHECK_THROWS_AS(ecmascript_number(std::bit_cast<double>(0x7ff0000000000000ULL)), Error);
}

TEST_CASE("a written number is the same double when it is read, and when it is made canonical") {
  std::mt19937_64 random(8785);
  for (int i = 0; i < 100000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const std::string text = ecmascript_number(value);
    REQUIRE(std::strtod(text.c_str(), nullptr) == value);
    REQUIRE(canonical(text) == text);
  }
}

TEST_CASE("the example of RFC 8785, section 3.2.2 and 3.2.3") {
  const std::string input = R"({
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  })";
  const std::string expected =
      R"({"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],)"
      R"("string":"€$\u000f\nA'B\"\\\\\"/"})";
  CHECK(canonical(input) == expected);
}

TEST_CASE("members are sorted by UTF-16 code units: RFC 8785, section 3.2.3") {
  const std::string input = R"({
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face",
    "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis"
  })";
  CHECK(canonical(input) ==
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
        "\"\u00f6\":\"Latin Small Letter O With Diaeresis\",\"\u20ac\":\"Euro Sign\","
        "\"\U0001F600\":\"Emoji: Grinning Face\",\"\uFB33\":\"Hebrew Letter Dalet With Dagesh\"}");
}

TEST_CASE("control characters have the shortest escape, everything else none") {
  CHECK(canonical(R"("\b\t\n\f\r\u0000\u001f\u007f\u2028/")") ==
        "\"\\b\\t\\n\\f\\r\\u0000\\u001f\u007f\u2028/\"");
}

TEST_CASE("empty things, nested things, white space") {
  CHECK(canonical(" [ ] ") == "[]");
  CHECK(canonical("{\n}") == "{}");
  CHECK(canonical(R"({"b":[{"z":{},"a":[]}],"a":-0.0})") == R"({"a":0,"b":[{"a":[],"z":{}}]})");
}

TEST_CASE("whole numbers are kept as they are, or refused") {
  CHECK(canonical("9007199254740991") == "9007199254740991");
  CHECK(canonical("-9007199254740992") == "-9007199254740992");
  CHECK_THROWS_WITH(canonical("9007199254740993"), Catch::Contains("9007199254740993"));
  CHECK_THROWS_AS(canonical("18446744073709551615"), Error);
  CHECK(canonical("1e18") == "1000000000000000000");
}

TEST_CASE("what is no I-JSON is refused") {
  CHECK_THROWS_WITH(canonical(R"({"a":1,"a":1})"), Catch::Contains("\"a\" twice"));
  CHECK_THROWS_AS(canonical("{"), Error);
  CHECK_THROWS_AS(canonical(""), Error);
  CHECK_THROWS_AS(canonical("NaN"), Error);
  CHECK_THROWS_AS(canonical("\"\xff\""), Error);
  CHECK_THROWS_AS(canonical(R"("\ud800")"), Error);
  CHECK_THROWS_AS(canonical("1e400"), Error);
  CHECK_THROWS_AS(canonical(std::string(100000, '[')), Error);
}

}  // namespace
}  // namespace platter::registry

#include "model/strict_json.h"

#include "catch.h"

namespace platter::model {
namespace {

using Json = nlohmann::ordered_json;
using namespace std::literals;

TEST_CASE("JSON comes out as nlohmann reads it", "[json]") {
  const std::string text =
      R"({"b": [1, -2, 3.5, true, null, "x\u00e9", {}, []], "a": {"c": {"d": [[1], {"e": 2}]}}, "z": 1e3})";
  CHECK(parse_strictly<Json>(text, "t") == Json::parse(text));
  CHECK(parse_strictly<Json>(text, "t").dump() == Json::parse(text).dump());
  CHECK(parse_strictly<nlohmann::json>(text, "t") == nlohmann::json::parse(text));
  CHECK(parse_strictly<Json>("7", "t") == 7);
}

TEST_CASE("what is no JSON is told with its line", "[json]") {
  for (const char* text : {"", "{", "[1,]", "{\"a\":1", "nul", "\"\xff\"", "1 2", "[1}"})
    CHECK_THROWS_WITH(parse_strictly<Json>(text, "t"),
                      Catch::Contains("t: is not valid JSON (line 1)"));
  CHECK_THROWS_WITH(parse_strictly<Json>("[1,\n\n x]", "t", {.needed = "; a model is needed"}),
                    Catch::Contains("(line 3); a model is needed"));
  CHECK_THROWS_WITH(parse_strictly<Json>("[1e999]", "t"),
                    Catch::Contains("a number that is too large"));
}

TEST_CASE("a member twice in one object is refused, in two it is not", "[json]") {
  CHECK_THROWS_WITH(parse_strictly<Json>(R"({"a":1,"b":2,"a":3})", "t"),
                    Catch::Contains("the member \"a\" twice in one object"));
  CHECK_THROWS(parse_strictly<nlohmann::json>(R"([{"x":{"a":1,"a":1}}])", "t"));
  CHECK_NOTHROW(parse_strictly<Json>(R"({"a":{"a":1},"b":[{"a":1},{"a":2}]})", "t"));
}

TEST_CASE("depth, values and members have ends", "[json]") {
  const auto parse = [](const std::string& text) {
    return parse_strictly<Json>(text, "t", {.depth = 3, .values = 6, .members = 2});
  };
  CHECK_NOTHROW(parse("[[[1]]]"));
  CHECK_THROWS_WITH(parse("[[[[]]]]"), Catch::Contains("nested too deeply"));
  CHECK_NOTHROW(parse("[1,2,3,4,5]"));
  CHECK_THROWS_WITH(parse("[1,2,3,4,5,6]"), Catch::Contains("more than 6 values"));
  CHECK_NOTHROW(parse(R"({"a":1,"b":{"c":1,"d":2}})"));
  CHECK_THROWS_WITH(parse(R"({"a":1,"b":2,"c":3})"), Catch::Contains("more than 2 members"));
  CHECK_THROWS_WITH(parse_strictly<Json>(std::string(1'000'000, '['), "t"),
                    Catch::Contains("nested too deeply"));
}

TEST_CASE("a byte of 0 ends no JSON", "[json]") {
  for (const std::string_view text :
       {"{}\0"sv, "{}\n\0garbage"sv, "\0"sv, "{\"a\":\0 1}"sv, "[1]\0[2]"sv}) {
    CHECK_THROWS_WITH(parse_strictly<Json>(text, "t"), Catch::Contains("has a byte of 0"));
    CHECK(parse_or_null<Json>(text).is_null());
  }
  CHECK_THROWS_WITH(parse_strictly<Json>("{}\n\0"sv, "t"),
                    Catch::Contains("t: is not valid JSON (line 2"));
}

}  // namespace
}  // namespace platter::model

#include "model/whole_json.h"

#include "catch.h"

namespace platter::model {
namespace {

using Json = nlohmann::ordered_json;
using namespace std::literals;

TEST_CASE("a byte of 0 ends no JSON", "[json]") {
  CHECK(parse_whole<Json>("[1]\n", "t") == Json::array({1}));
  for (const std::string_view text :
       {"{}\0"sv, "{}\n\0garbage"sv, "\0"sv, "{\"a\":\0 1}"sv, "[1]\0[2]"sv}) {
    CHECK_THROWS_WITH(parse_whole<Json>(text, "t"), Catch::Contains("has a byte of 0"));
    CHECK(parse_whole_or_null<Json>(text).is_null());
  }
  CHECK_THROWS_WITH(parse_whole<Json>("{}\n\0"sv, "t"),
                    Catch::Contains("t: is not valid JSON (line 2"));
}

}  // namespace
}  // namespace platter::model

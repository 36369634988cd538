#include "model/formats.h"

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <vector>

#include "catch.h"
#include "model/json_text.h"
#include "model/passed_over.h"

namespace platter::model {
namespace {

using Json = nlohmann::ordered_json;

TEST_CASE("a version is two whole numbers") {
  for (const char* text : {"1.0", "1.7", "6.0", "12.345"})
    CHECK(text_of(*version_in(text)) == text);
  for (const char* text : {"", "1", "1.", ".1", "1.x", "x.1", "1.0.0", "01.0", "1.00", "-1.0",
                           "1.-1", "0.9", " 1.0", "1.0 ", "1.99999999999", "+1.0"})
    CHECK_FALSE(version_in(text));
}

TEST_CASE("each format has one version, and nothing is written without") {
  std::set<std::string_view> names;
  for (const Format& format : kFormatVersions) {
    CHECK(names.insert(format.name).second);
    CHECK(json_head(std::string(format.name))["schema"]["version"] == text_of(format.version));
  }
  CHECK_THROWS_AS(json_head("platter-nonesuch"), std::logic_error);
}

TEST_CASE("what is known is of this major version and no newer minor one") {
  const auto known = [](const Json& version) {
    return is_known({{"schema", {{"name", "platter-journal"}, {"version", version}}}},
                    "platter-journal");
  };
  const FormatVersion own = version_of("platter-journal");
  CHECK(known(text_of(own)));
  CHECK_FALSE(known(text_of({own.major, own.minor + 1})));
  CHECK_FALSE(known(text_of({own.major + 1, 0})));
  CHECK_FALSE(known(text_of({own.major - 1, own.minor})));
  CHECK_FALSE(known(2.0));
  CHECK_FALSE(is_known(json_head("platter-journal"), "platter-model"));
  for (const Json& none :
       {Json(), Json::array(), Json{{"schema", 1}}, Json{{"schema", Json::object()}}})
    CHECK_FALSE(is_known(none, "platter-journal"));
}

TEST_CASE("unknown members are found wherever objects are") {
  std::vector<std::string> found;
  const std::string_view known[] = {"a", "b", "b.c", "b.c.d", "map", "map.*", "list"};
  find_unknown_members({{"a", 1},
                        {"b", {{"c", {{"d", 1}, {"e", 2}}}, {"a", 1}}},
                        {"map", {{"any", 1}, {"other", {{"x", 1}}}}},
                        {"list", {{{"x", 1}}}},
                        {"f", {{"g", 1}}}},
                       known, [&](const std::string& path) { found.push_back(path); });
  CHECK(found == std::vector<std::string>{"b.c.e", "b.a", "f"});
}

}  // namespace
}  // namespace platter::model

#include "model/json_text.h"

#include <nlohmann/json.hpp>

#include "catch.h"

namespace platter::model {

TEST_CASE("bytes that are no UTF-8 leave as U+FFFD, in texts and in names of members") {
  const std::string foreign = "disk\xff.ptab", replaced = "disk\xEF\xBF\xBD.ptab";
  for (const JsonForm form : {JsonForm::line, JsonForm::indented}) {
    const std::string text = json_text(nlohmann::json{{"name", foreign}}, form);
    CHECK(nlohmann::json::parse(text).at("name") == replaced);
    const std::string ordered = json_text(nlohmann::ordered_json{{foreign, 1}}, form);
    CHECK(nlohmann::json::parse(ordered).at(replaced) == 1);
  }
  CHECK(json_text(nlohmann::json{{"name", foreign}}, JsonForm::ascii) ==
        R"({"name":"disk\ufffd.ptab"})");
}

TEST_CASE("JSON leaves on one line, or a member a line") {
  const nlohmann::ordered_json json = {{"b", {1, 2}}, {"a", "\u00e4"}};
  CHECK(json_text(json) == "{\"b\":[1,2],\"a\":\"\u00e4\"}");
  CHECK(json_text(json, JsonForm::ascii) == R"({"b":[1,2],"a":"\u00e4"})");
  CHECK(json_text(nlohmann::json{{"a", true}}, JsonForm::indented) == "{\n  \"a\": true\n}");
}

}  // namespace platter::model

#include "model/json_text.h"

#include <nlohmann/json.hpp>

namespace platter::model {
namespace {

template <class Json>
std::string text_of(const Json& json, JsonForm form) {
  constexpr int kOneLine = -1, kColumns = 2;
  return json.dump(form == JsonForm::indented ? kColumns : kOneLine, ' ', form == JsonForm::ascii,
                   Json::error_handler_t::replace);
}

}  // namespace

std::string json_text(const nlohmann::json& json, JsonForm form) { return text_of(json, form); }

std::string json_text(const nlohmann::ordered_json& json, JsonForm form) {
  return text_of(json, form);
}

}  // namespace platter::model

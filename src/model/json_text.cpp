#include "model/json_text.h"

namespace platter::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineColumns = 100;

std::string scalar(const Json& json) { return json_text(json); }

// Values are laid out from the leaves up, so that every one is turned into text once a level.
std::string layout(const Json& json, std::size_t indent, std::size_t used) {
  if (!json.is_structured() || json.empty()) return scalar(json);
  const bool object = json.is_object();
  std::vector<std::string> members;
  std::size_t width = indent + used + 2;
  bool breaks = false;
  for (const auto& item : json.items()) {
    const std::string key = object ? scalar(Json(item.key())) + ": " : std::string();
    members.push_back(key + layout(item.value(), indent + 2, key.size() + 1));
    width += members.back().size() + 2;
    breaks = breaks || members.back().find('\n') != std::string::npos;
  }
  breaks = breaks || width > kLineColumns;
  const std::string separator = breaks ? ",\n" + std::string(indent + 2, ' ') : ", ";
  std::string text(1, object ? '{' : '[');
  if (breaks) text += separator.substr(1);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) text += separator;
    text += members[i];
  }
  if (breaks) text += '\n' + std::string(indent, ' ');
  text += object ? '}' : ']';
  return text;
}

template <class Json>
std::string text_of(const Json& json, JsonForm form) {
  constexpr int kOneLine = -1, kIndent = 2;
  return json.dump(form == JsonForm::indented ? kIndent : kOneLine, ' ', form == JsonForm::ascii,
                   Json::error_handler_t::replace);
}

}  // namespace

std::string json_document(const std::string& schema, const nlohmann::ordered_json& members) {
  nlohmann::ordered_json json = json_head(schema);
  json.update(members);
  return json_text(json, JsonForm::indented) + "\n";
}

std::string pretty(const Json& json) { return layout(json, 0, 0) + '\n'; }

std::string json_text(const nlohmann::json& json, JsonForm form) { return text_of(json, form); }

std::string json_text(const nlohmann::ordered_json& json, JsonForm form) {
  return text_of(json, form);
}

}  // namespace platter::model

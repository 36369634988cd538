#include "report/model_schema.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <vector>

#include "model/fields.h"
#include "model/formats.h"
#include "model/json_text.h"
#include "model/limits.h"
#include "report/explanations.h"
#include "report/member_words.h"

namespace platter::report {
namespace {

using Json = nlohmann::ordered_json;

Json object_of(Json properties, Json required) {
  Json object = {{"type", "object"}};
  if (!required.empty()) object["required"] = std::move(required);
  object["additionalProperties"] = false;
  object["properties"] = std::move(properties);
  return object;
}

// Whole numbers as such, however they are kept.
Json json_number(double value) {
  if (value == std::floor(value) && std::fabs(value) < 1e15)
    return static_cast<std::int64_t>(value);
  return value;
}

std::string path_in(const std::string& section, const std::string& name) {
  return section.empty() ? name : section + "." + name;
}

// ---------------------------------------------------------------- by type

template <typename T>
Json shape_of(const T& value, const std::string& path);

template <typename T>
struct Holds : std::false_type {};
template <typename T>
struct Holds<std::vector<T>> : std::true_type {
  using Type = T;
};
template <typename T>
struct Holds<std::optional<T>> : std::true_type {
  using Type = T;
};
template <typename T>
constexpr bool is_optional = false;
template <typename T>
constexpr bool is_optional<std::optional<T>> = true;

// Not all of it is in its file: a number may be absent, and a section that is optional.
template <typename T>
constexpr bool may_be_left_out = is_optional<T> || std::is_same_v<T, model::Parameter>;

std::string described_number(const Explanation& explanation) {
  std::string text(explanation.what);
  if (explanation.words == nullptr) return text;
  std::string separator = ": ";
  for (const auto& [value, word] : *explanation.words) {
    text += fmt::format("{}{} {}", separator, value, word);
    separator = "; ";
  }
  return text;
}

std::string description_of(const std::string& path) {
  if (const Explanation* const explanation = explanation_of(path))
    return described_number(*explanation);
  return std::string(member_words(path));
}

class SchemaMaker {
 public:
  explicit SchemaMaker(std::string section) : section_(std::move(section)) {}

  template <typename T>
  void required(const char* name, const T& member) {
    add(name, member, !may_be_left_out<T>);
  }
  template <typename T>
  void usual(const char* name, const T& member) {
    required(name, member);
  }
  template <typename T, typename D>
  void compact(const char* name, const T& member, const D& usual_value) {
    Json& property = add(name, member, false);
    if constexpr (std::is_arithmetic_v<D>) property["default"] = usual_value;
  }
  template <typename T>
  void informative(const char* name, const T& member) {
    required(name, member);
  }

  Json object() const { return object_of(properties_, required_); }

 private:
  template <typename T>
  Json& add(const char* name, const T& member, bool always) {
    const std::string path = path_in(section_, name);
    Json& property = properties_[name] = {{"description", description_of(path)}};
    property.update(shape_of(member, path));
    if (always) required_.push_back(name);
    return property;
  }

  std::string section_;
  Json properties_ = Json::object(), required_ = Json::array();
};

template <typename T>
Json object_like(const T& value, const std::string& section) {
  SchemaMaker maker(section);
  model::visit_fields(value, maker);
  return maker.object();
}

Json shape_of_parameter(const std::string& path) {
  const model::Limits limits = model::limits_of_parameter(path);
  return {{"$ref", "#/$defs/measured"},
          {"properties",
           {{"value",
             {{"type", {limits.whole ? "integer" : "number", "null"}},
              {"minimum", json_number(limits.low)},
              {"maximum", json_number(limits.high)}}}}}};
}

template <typename T>
Json shape_of_number(const std::string& path) {
  Json shape = {{"type", std::is_integral_v<T> ? "integer" : "number"}};
  if constexpr (std::is_integral_v<T>) {
    shape["minimum"] = std::numeric_limits<T>::min();
    if constexpr (sizeof(T) < sizeof(std::uint64_t))
      shape["maximum"] = std::numeric_limits<T>::max();
  }
  if (const auto bounds = bounds_of(path)) {
    shape["minimum"] = json_number(bounds->low);
    shape.erase("maximum");
    if (std::isfinite(bounds->high))
      shape[bounds->below_high ? "exclusiveMaximum" : "maximum"] = json_number(bounds->high);
  }
  return shape;
}

Json shape_of_text(const std::string& path) {
  Json shape = {{"type", "string"}};
  for (const std::string_view word : model::choices_of(path)) shape["enum"].push_back(word);
  return shape;
}

template <typename T>
Json shape_of([[maybe_unused]] const T& value, const std::string& path) {
  if constexpr (std::is_same_v<T, model::Parameter>) {
    return shape_of_parameter(path);
  } else if constexpr (std::is_same_v<T, model::LayoutNode>) {
    return {{"$ref", "#/$defs/node"}};
  } else if constexpr (std::is_same_v<T, model::Seek>) {
    return {{"$ref", "#/$defs/seek"}};
  } else if constexpr (std::is_same_v<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return shape_of_text(path);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return shape_of_number<T>(path);
  } else if constexpr (is_optional<T>) {
    return shape_of(typename Holds<T>::Type(), path);
  } else if constexpr (Holds<T>::value) {
    return {{"type", "array"}, {"items", shape_of(typename Holds<T>::Type(), path)}};
  } else {
    return object_like(value, path);
  }
}

// ---------------------------------------------------------------- the document

Json guesses() {
  return {{"description", "what has no value may be so; the likeliest first, which acts"},
          {"type", "array"},
          {"minItems", 1},
          {"items", object_of({{"value", {{"type", "number"}}},
                               {"probability",
                                {{"description", "that it is so; left out: nobody can say"},
                                 {"type", "number"},
                                 {"minimum", 0},
                                 {"maximum", 1}}},
                               {"witness", {{"description", "who says so"}, {"type", "string"}}}},
                              Json::array({"value", "witness"}))}};
}

// Either a value is there, with all that belongs to it, or a reason why it is not.
Json measured_number() {
  Json measured = object_of(
      {{"value", {{"type", {"number", "null"}}}},
       {"unit", {{"description", "of value and error"}, {"type", "string"}}},
       {"error",
        {{"description",
          "one standard error; of a choice, the probability that it is wrong; "
          "null: none is stated"},
         {"type", {"number", "null"}},
         {"minimum", 0}}},
       {"method", {{"description", "how the number was found"}, {"type", "string"}}},
       {"samples", {{"type", "integer"}, {"minimum", 0}}},
       {"reason",
        {{"description", "why there is no value; beside one, what else is in it"},
         {"type", "string"}}},
       {"at_least", {{"description", "bound of what has no value"}, {"type", "number"}}},
       {"at_most", {{"description", "bound of what has no value"}, {"type", "number"}}},
       {"guesses", guesses()}},
      Json::array({"value"}));
  measured["description"] = "a measured number";
  measured["if"] = {{"properties", {{"value", {{"type", "null"}}}}}};
  measured["then"] = {{"required", Json::array({"reason"})},
                      {"properties", {{"error", {{"type", "number"}}}}}};
  measured["else"] = {
      {"required", {"unit", "error", "method", "samples"}},
      {"properties", {{"at_least", false}, {"at_most", false}, {"guesses", false}}}};
  return measured;
}

// Of any minor version: an older one has no other members, a newer one its own schema.
Json head_of_model() {
  constexpr const char* kName = "platter-model";
  const std::string any_minor = fmt::format(R"(^{}\.[0-9]+$)", model::version_of(kName).major);
  return {
      {"schema", object_of({{"name", {{"const", kName}}},
                            {"version", {{"type", "string"}, {"pattern", any_minor}}}},
                           {"name", "version"})},
      {"platter", {{"description", "version of the program that wrote it"}, {"type", "string"}}}};
}

// Many measured numbers lie between the same limits: `limits` gets them by name, and `shape` refers
// to these.
void share_limits(Json& shape, Json& limits) {
  if (shape.is_object() && shape.value("$ref", "") == "#/$defs/measured") {
    const Json& value = shape["properties"]["value"];
    const std::string name = fmt::format("{}_{}_to_{}", value["type"][0].get<std::string>(),
                                         model::json_text(value["minimum"]),
                                         model::json_text(value["maximum"]));
    limits[name] = {{"$ref", shape["$ref"]}, {"properties", shape["properties"]}};
    shape["$ref"] = "#/$defs/" + name;
    shape.erase("properties");
  }
  for (Json& part : shape)
    if (part.is_structured()) share_limits(part, limits);
}

}  // namespace

std::string model_schema() {
  Json sections = object_like(model::DriveModel(), ""), limits = Json::object();
  share_limits(sections, limits);
  Json properties = head_of_model(), required = {"schema", "platter"};
  properties.update(sections["properties"]);
  for (const Json& name : sections["required"]) required.push_back(name);
  Json schema = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"$id", "https://platter.example/schemas/platter-model.json"},
      {"description",
       "What is known of a drive's timing, as platter writes it: made by platter self schema "
       "model. "
       "A model that is read may leave out more, and has to keep rules that are not told here "
       "(docs/model.md)."}};
  schema.update(object_of(properties, required));
  schema["$defs"] = {{"node", object_like(model::LayoutNode(), "node")},
                     {"seek", object_like(model::Seek(), "seek")},
                     {"measured", measured_number()}};
  schema["$defs"].update(limits);
  return model::pretty(schema);
}

}  // namespace platter::report

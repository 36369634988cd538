#include "model/json.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/fields.h"
#include "model/file.h"
#include "model/json_text.h"
#include "model/strict_json.h"
#include "model/text_file.h"
#include "model/validate.h"

namespace platter::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchemaName = "platter-model";

// ---------------------------------------------------------------- writing

Json write(const Parameter& parameter);
template <typename T>
Json write(const std::vector<T>& values);
template <typename T>
requires std::is_class_v<T> Json write(const T& value);
template <typename T>
requires std::is_arithmetic_v<T> Json write(T value) { return value; }
Json write(const std::string& text) { return text; }

bool holds_nothing(const Parameter& p) {
  return !p.value && !p.error && p.method.empty() && p.reason.empty() && p.samples == 0 &&
         !p.at_least && !p.at_most && p.guesses.empty();
}
template <typename T>
bool holds_nothing(const std::optional<T>& value) {
  return !value;
}
template <typename T>
bool holds_nothing(const T&) {
  return false;
}

class Writer {
 public:
  template <typename T>
  void required(const char* name, const T& member) {
    if (!holds_nothing(member)) json[name] = write(member);
  }
  template <typename T>
  void required(const char* name, const std::optional<T>& member) {
    if (member) json[name] = write(*member);
  }
  template <typename T>
  void usual(const char* name, const T& member) {
    required(name, member);
  }
  template <typename T, typename D>
  void compact(const char* name, const T& member, const D& usual_value) {
    if (!is_default(member, usual_value)) json[name] = write(member);
  }
  template <typename T>
  void informative(const char* name, const T& value) {
    json[name] = write(value);
  }

  Json json = Json::object();

 private:
  template <typename T>
  static bool is_default(const std::vector<T>& member, const std::vector<T>& usual_value) {
    if constexpr (std::equality_comparable<T>) return member == usual_value;
    return member.empty();
  }
  template <typename T>
  static bool is_default(const T& member, const T& usual_value) {
    return member == usual_value;
  }
  static bool is_default(double member, double usual_value) {
    return member == usual_value && !std::signbit(member);
  }
};

Json write(const Parameter& parameter) {
  Json json = Json::object();
  if (parameter.value) {
    json["value"] = *parameter.value;
    json["unit"] = parameter.unit;
    json["error"] = parameter.error ? Json(*parameter.error) : Json();
    json["method"] = parameter.method;
    json["samples"] = parameter.samples;
    if (!parameter.reason.empty()) json["reason"] = parameter.reason;
    return json;
  }
  json["value"] = Json();
  json["reason"] = parameter.reason;
  if (!parameter.unit.empty()) json["unit"] = parameter.unit;
  if (parameter.error) json["error"] = *parameter.error;
  if (!parameter.method.empty()) json["method"] = parameter.method;
  if (parameter.samples > 0) json["samples"] = parameter.samples;
  if (parameter.at_least) json["at_least"] = *parameter.at_least;
  if (parameter.at_most) json["at_most"] = *parameter.at_most;
  if (!parameter.guesses.empty()) json["guesses"] = write(parameter.guesses);
  return json;
}

template <typename T>
Json write(const std::vector<T>& values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(write(value));
  return json;
}

template <typename T>
requires std::is_class_v<T> Json write(const T& value) {
  Writer writer;
  visit_fields(value, writer);
  return std::move(writer.json);
}

// ---------------------------------------------------------------- reading

// Where in which document a value stands; a sentence about it begins with that. The steps to it are
// put together only for a sentence.
struct Place {
  const std::string& origin;
  PassedOver* newer;  // of a newer minor version: members that we do not know are its own
  const Place* outer = nullptr;
  std::string_view name = {};  // within what is around it; or, without a name:
  std::size_t index = 0;

  Place member(std::string_view its_name) const { return {origin, newer, this, its_name}; }
  Place element(std::size_t its_index) const { return {origin, newer, this, {}, its_index}; }
  std::string path(bool numbered = true) const {
    if (outer == nullptr) return {};
    const std::string before = outer->path(numbered);
    if (name.data() == nullptr)
      return numbered ? fmt::format("{}[{}]", before, index) : before + "[]";
    return before.empty() ? std::string(name) : fmt::format("{}.{}", before, name);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ExitStatus::bad_input, outer == nullptr
                                           ? fmt::format("{}: {}", origin, what)
                                           : fmt::format("{}: {} {}", origin, path(), what));
  }
};

// Nested repeats take two levels a node; what is deeper than any valid model is not built.
constexpr int kDeepestJson = 2 * kDeepestLayout + 16;

void read(const Json& json, bool& member, const Place& place) {
  if (!json.is_boolean()) place.fail("must be true or false");
  member = json.get<bool>();
}

void read(const Json& json, std::string& member, const Place& place) {
  if (!json.is_string()) place.fail("must be a text");
  member = json.get<std::string>();
}

void read(const Json& json, double& member, const Place& place) {
  if (!json.is_number()) place.fail("must be a number");
  member = json.get<double>();
  if (!std::isfinite(member)) place.fail("must be a finite number");
}

template <std::integral T>
void read(const Json& json, T& member, const Place& place) {
  const auto fail = [&] {
    place.fail(fmt::format("must be a whole number from {} to {}", std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::max()));
  };
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (!std::in_range<T>(value)) fail();
    member = static_cast<T>(value);
  } else if (json.is_number_integer()) {
    const auto value = json.get<std::int64_t>();
    if (!std::in_range<T>(value)) fail();
    member = static_cast<T>(value);
  } else {
    fail();
  }
}

void read(const Json& json, Parameter& member, const Place& place);
template <typename T>
requires std::is_class_v<T>
void read(const Json& json, T& member, const Place& place);

template <typename T>
void read(const Json& json, std::optional<T>& member, const Place& place) {
  if (json.is_null()) {
    member.reset();
  } else {
    read(json, member.emplace(), place);
  }
}

template <typename T>
void read(const Json& json, std::vector<T>& member, const Place& place) {
  if (!json.is_array()) place.fail("must be a list");
  member.clear();
  member.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i)
    read(json[i], member.emplace_back(), place.element(i));
}

class Reader {
 public:
  Reader(const Json& json, const Place& place) : json_(json), place_(place) {
    if (!json.is_object()) place.fail("must be an object");
  }

  template <typename T>
  void required(const char* name, T& member) {
    if (!take(name, member)) place_.member(name).fail("is missing");
  }
  template <typename T>
  void usual(const char* name, T& member) {
    take(name, member);
  }
  template <typename T, typename D>
  void compact(const char* name, T& member, const D&) {
    take(name, member);
  }
  template <typename T>
  void informative(const char* name, const T&) {
    known_.push_back(name);
  }

  void known(const char* name) { known_.push_back(name); }

  void refuse_others() const {
    for (const auto& item : json_.items()) {
      if (std::find(known_.begin(), known_.end(), item.key()) != known_.end()) continue;
      const Place member = place_.member(item.key());
      if (place_.newer == nullptr)
        member.fail("is not a member that a model has; remove it or correct its name");
      place_.newer->add(member.path(false));
    }
  }

 private:
  template <typename T>
  bool take(const char* name, T& member) {
    known_.push_back(name);
    const auto found = json_.find(name);
    if (found == json_.end()) return false;
    read(*found, member, place_.member(name));
    return true;
  }

  const Json& json_;
  const Place& place_;
  std::vector<std::string_view> known_;
};

void read(const Json& json, Parameter& member, const Place& place) {
  Reader reader(json, place);
  member = {};
  reader.required("value", member.value);
  reader.usual("unit", member.unit);
  reader.usual("error", member.error);
  reader.usual("method", member.method);
  reader.usual("samples", member.samples);
  reader.usual("reason", member.reason);
  reader.usual("at_least", member.at_least);
  reader.usual("at_most", member.at_most);
  reader.usual("guesses", member.guesses);
  reader.refuse_others();
  if (member.value && (member.at_least || member.at_most || !member.guesses.empty()))
    place.fail("has a value, so it has no bounds and no guesses; leave out one or the other");
}

template <typename T>
requires std::is_class_v<T>
void read(const Json& json, T& member, const Place& place) {
  Reader reader(json, place);
  visit_fields(member, reader);
  reader.refuse_others();
}

// ---------------------------------------------------------------- the document

FormatVersion schema_version(const Json& document, const Place& place) {
  const auto schema = document.find("schema");
  if (schema == document.end() || !schema->is_object() ||
      schema->value("name", Json()) != kSchemaName) {
    place.fail(
        fmt::format("is JSON but no drive model: its schema.name is not \"{}\"", kSchemaName));
  }
  const auto version = version_in(document, kSchemaName);
  if (!version) place.member("schema").member("version").fail("must be a text of the form \"1.0\"");
  return *version;
}

// Stops at the document's member "platter", of which it takes the text.
class VersionFinder : public nlohmann::json_sax<Json> {
 public:
  std::string version;

  bool null() override { return next(); }
  bool boolean(bool) override { return next(); }
  bool number_integer(number_integer_t) override { return next(); }
  bool number_unsigned(number_unsigned_t) override { return next(); }
  bool number_float(number_float_t, const string_t&) override { return next(); }
  bool binary(binary_t&) override { return next(); }
  bool string(string_t& text) override {
    if (!wanted_) return next();
    version = text;
    return false;  // the rest is not looked at
  }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return --depth_ > 0; }
  bool end_array() override { return --depth_ > 0; }
  bool key(string_t& name) override {
    wanted_ = depth_ == 1 && name == "platter";
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool next() const { return !wanted_; }
  bool open() {
    ++depth_;
    return !wanted_;
  }

  int depth_ = 0;
  bool wanted_ = false;
};

}  // namespace

std::string to_json_text(const DriveModel& model) {
  require_nothing_passed_over(model.passed_over);
  return known_json_text(model);
}

std::string known_json_text(const DriveModel& model) {
  validate(model, "model");
  Json document = json_head(kSchemaName);
  document.update(write(model));
  return pretty(document);
}

DriveModel from_json_text(const std::string& text, const std::string& origin) {
  const Json document = parse_strictly<Json>(
      text, origin, {.depth = kDeepestJson, .needed = "; a model file is needed"});
  Place place{origin, nullptr};
  if (!document.is_object()) place.fail("is JSON but no drive model: an object is needed");
  const FormatVersion version = schema_version(document, place), own = version_of(kSchemaName);
  if (version.major != own.major) {
    place.fail(
        fmt::format("is a model of schema version {}, this program reads version {}.x; take a "
                    "platter of its time",
                    text_of(version), own.major));
  }
  DriveModel model;
  PassedOver passed_over{origin, kSchemaName, version};
  if (version > own) place.newer = &passed_over;
  Reader reader(document, place);
  reader.known("schema");
  reader.known("platter");
  visit_fields(model, reader);
  reader.refuse_others();
  validate(model, origin);
  model.passed_over = std::move(passed_over);
  return model;
}

std::string tool_version_in(const std::string& text) {
  VersionFinder finder;
  Json::sax_parse(text, &finder);
  return std::move(finder.version);
}

DriveModel load_model(const std::string& path) {
  DriveModel model = from_json_text(read_text(path), path);
  say_passed_over(model.passed_over);
  return model;
}

void save_model(const DriveModel& model, const std::string& path) {
  write_file(path, to_json_text(model));
}

}  // namespace platter::model

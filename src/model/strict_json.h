// JSON from outside, made into a document with limits to what it may take: nlohmann's own reader
// keeps the last of two members of one name in silence, takes apart by recursion what is nested,
// looks for a name among all members of an ordered object, takes a byte of 0 for the end of the
// text, and knows no end.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/json_text.h"
#include "model/read_budget.h"

namespace platter::model {

struct JsonLimits {
  int depth = 128;            // levels of lists and objects
  std::size_t values = 0;     // in all; 0: as every document may have
  std::size_t members = 128;  // of one object
  const char* needed = "";    // ends sentences on what is no JSON: "; a model file is needed"
};

template <class Json>
class StrictJsonBuilder {
 public:
  using string_t = typename Json::string_t;

  StrictJsonBuilder(std::string_view text, const JsonLimits& limits, const std::string& origin,
                    ReadBudget& budget)
      : text_(text), limits_(limits), origin_(origin), budget_(budget) {}

  Json take() { return std::move(root_); }

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(typename Json::number_integer_t value) { return add(value); }
  bool number_unsigned(typename Json::number_unsigned_t value) { return add(value); }
  bool number_float(typename Json::number_float_t value, const string_t&) { return add(value); }
  bool string(string_t& value) { return add(std::move(value)); }
  bool binary(typename Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(string_t& name) {
    Json& object = *open_.back();
    if (object.size() == limits_.members)
      fail(fmt::format("has an object of more than {} members", limits_.members));
    if (object.contains(name))
      fail(fmt::format("has the member {} twice in one object", json_text(Json(name))));
    auto& members = object.template get_ref<typename Json::object_t&>();
    if constexpr (std::is_same_v<Json, nlohmann::ordered_json>) {
      member_ = &members.emplace_back(std::move(name), Json()).second;
    } else {
      member_ = &members[std::move(name)];
    }
    return true;
  }

  template <class Exception>
  bool parse_error(std::size_t at, const std::string&, const Exception& why) {
    constexpr int kNumberTooLarge = 406;
    if (why.id == kNumberTooLarge)
      fail(fmt::format("has a number that is too large{}", limits_.needed));
    const auto before = text_.substr(0, std::min(at, text_.size()));
    fail(fmt::format("is not valid JSON (line {}){}",
                     std::count(before.begin(), before.end(), '\n') + 1, limits_.needed));
    return false;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ExitStatus::bad_input, fmt::format("{}: {}", origin_, what));
  }

  Json& place(Json&& value) {
    budget_.take(Cost::values, 1);
    if (budget_.taken(Cost::values) % kValuesBetweenLooks == 0) budget_.require_time();
    if (open_.empty()) return root_ = std::move(value);
    if (member_ != nullptr) return *std::exchange(member_, nullptr) = std::move(value);
    auto& list = open_.back()->template get_ref<typename Json::array_t&>();
    return list.emplace_back(std::move(value));
  }
  bool add(Json&& value) {
    place(std::move(value));
    return true;
  }
  // What is open is the last element of what it stands in, so that its place does not move.
  bool open(Json&& value) {
    if (open_.size() == static_cast<std::size_t>(limits_.depth)) fail("is nested too deeply");
    open_.push_back(&place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  const JsonLimits& limits_;
  const std::string& origin_;
  ReadBudget& budget_;
  Json root_;
  std::vector<Json*> open_;
  Json* member_ = nullptr;  // whose value comes next
  static constexpr std::size_t kValuesBetweenLooks = 65536;
};

// Throws Error(bad_input) that begins with `origin` for a text that has a byte of 0, which no JSON
// has (RFC 8259, section 7).
inline void require_no_zero_byte(std::string_view text, const std::string& origin,
                                 const char* needed) {
  const std::size_t at = text.find('\0');
  if (at == std::string_view::npos) return;
  const auto before = text.substr(0, at);
  throw Error(ExitStatus::bad_input,
              fmt::format("{}: is not valid JSON (line {} has a byte of 0){}", origin,
                          std::count(before.begin(), before.end(), '\n') + 1, needed));
}

// Throws Error(bad_input) that begins with `origin` for what is not JSON, has a member twice in one
// object, or exceeds a limit. Its values are counted with the budget of the document that it is a
// part of; limits.values is not looked at.
template <class Json>
Json parse_strictly(std::string_view text, const std::string& origin, ReadBudget& budget,
                    const JsonLimits& limits = {}) {
  require_no_zero_byte(text, origin, limits.needed);
  StrictJsonBuilder<Json> builder(text, limits, origin, budget);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

// Of a whole document.
template <class Json>
Json parse_strictly(std::string_view text, const std::string& origin,
                    const JsonLimits& limits = {}) {
  ReadBudget budget(origin);
  budget.take(Cost::bytes, text.size());
  if (limits.values > 0) budget.allow(Cost::values, limits.values);
  return parse_strictly<Json>(text, origin, budget, limits);
}

// The same, and null for what cannot be read so: for what is one of several things, or says itself
// what it should be.
template <class Json>
Json parse_or_null(std::string_view text, const JsonLimits& limits = {}) {
  try {
    return parse_strictly<Json>(text, "it", limits);
  } catch (const Error&) {
    return Json();
  }
}

}  // namespace platter::model

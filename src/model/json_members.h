// An object of a document that people write, of which every member is asked for: one that nobody
// asked for is a slip of the pen.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "model/error.h"

namespace platter::model {

template <typename Json>
class JsonMembers {
 public:
  // `where` it stands, and the page to `see`: begin and end of each sentence about what is wrong.
  // The object must outlive it. Throws as fail() where it is no object.
  JsonMembers(const Json& object, std::string where, std::string see)
      : object_(object), where_(std::move(where)), see_(std::move(see)) {
    if (!object.is_object()) fail("is no object");
  }

  bool has(const char* name) {
    asked_.insert(name);
    return object_.contains(name);
  }
  const Json& at(const char* name) {
    if (!has(name)) fail(fmt::format("lacks the member \"{}\"", name));
    return object_.at(name);
  }
  // The first that nobody asked for.
  std::optional<std::string> unasked() const {
    for (const auto& [name, value] : object_.items())
      if (!asked_.contains(name)) return name;
    return std::nullopt;
  }
  // Throws Error(bad_input).
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ExitStatus::bad_input, fmt::format("{} {}; see {}", where_, what, see_));
  }
  const std::string& where() const { return where_; }

 private:
  const Json& object_;
  std::string where_, see_;
  std::set<std::string, std::less<>> asked_{};
};

}  // namespace platter::model

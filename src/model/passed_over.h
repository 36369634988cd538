// What a reader does not know in a file of its major version and a newer minor one: it passes over
// that, and says so. Nothing is written again of what was not read whole, since what was passed
// over may speak of what would be changed.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "model/formats.h"

namespace platter::model {

struct PassedOver {
  std::string origin{}, format{};  // file, and name in kFormatVersions
  FormatVersion version{};         // of the file
  // Paths, without the numbers of elements; of very many the first thousand.
  std::set<std::string> members{};

  bool empty() const { return members.empty(); }
  void add(const std::string& path);
  bool operator==(const PassedOver&) const = default;
};

// One notice on standard error: each of a file's is said once by a process. Nothing, if empty.
void say_passed_over(const PassedOver& what);
// Throws Error(bad_input) unless it is empty: before a file that was read is written again.
void require_nothing_passed_over(const PassedOver& what);

// The path of every member that `json` has in itself and in the objects in it, and that `known`
// lacks. A path in `known` that ends in ".*" is of an object whose members have names of their own.
// Lists are not looked into.
void find_unknown_members(const nlohmann::ordered_json& json,
                          std::span<const std::string_view> known,
                          const std::function<void(const std::string& path)>& found);

}  // namespace platter::model

#include "trace/format.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "model/error.h"

namespace platter::trace {
namespace {

constexpr std::array kNames = {
    std::pair{Format::ascii, std::string_view("ascii")},
    std::pair{Format::validate, std::string_view("validate")},
};

}  // namespace

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [format, name] : kNames) names.emplace_back(name);
  return names;
}

std::string_view name_of(Format format) {
  for (const auto& [each, name] : kNames)
    if (each == format) return name;
  return "detect";
}

Format format_of(std::string_view name) {
  if (name.empty()) return Format::detect;
  for (const auto& [format, each] : kNames)
    if (each == name) return format;
  throw Error(ExitStatus::usage, fmt::format("there is no trace format \"{}\"; there are {}", name,
                                             fmt::join(format_names(), ", ")));
}

}  // namespace platter::trace

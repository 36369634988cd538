#include "trace/format.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "model/error.h"
#include "trace/formats.h"

namespace platter::trace {
namespace {

constexpr std::array kRows = {
#define PLATTER_FORMAT(name, row) &(row),
#include "trace/formats.inc"
#undef PLATTER_FORMAT
};

}  // namespace

std::span<const FormatRow* const> format_rows() { return kRows; }

const FormatRow* row_of(Format format) {
  for (const FormatRow* const row : kRows)
    if (row->format == format) return row;
  return nullptr;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const FormatRow* const row : kRows) names.emplace_back(row->name);
  return names;
}

std::vector<std::string> written_format_names() {
  std::vector<std::string> names;
  for (const FormatRow* const row : kRows)
    if (row->writer) names.emplace_back(row->name);
  return names;
}

std::string_view name_of(Format format) {
  const FormatRow* const row = row_of(format);
  return row ? row->name : "detect";
}

Format format_of(std::string_view name) {
  if (name.empty()) return Format::detect;
  for (const FormatRow* const row : kRows)
    if (row->name == name) return row->format;
  throw Error(ExitStatus::usage, fmt::format("there is no trace format \"{}\"; there are {}", name,
                                             fmt::join(format_names(), ", ")));
}

std::optional<std::uint32_t> number_of_device(std::string_view text) {
  constexpr std::uint32_t kMajors = 1u << 12, kMinors = 1u << 20;
  const char* const end = text.data() + text.size();
  std::uint32_t first = 0, second = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, first);
  if (error == std::errc() && rest == end) return first;
  if (error == std::errc() && *rest == ':') {
    const auto [last, minor_error] = std::from_chars(rest + 1, end, second);
    if (minor_error == std::errc() && last == end && first < kMajors && second < kMinors)
      return first * kMinors + second;
  }
  return std::nullopt;
}

}  // namespace platter::trace

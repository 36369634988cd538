#include "trace/format.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "model/error.h"

namespace platter::trace {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kNames = {
    std::pair{Format::ascii, "ascii"sv},       std::pair{Format::validate, "validate"sv},
    std::pair{Format::hpl, "hpl"sv},           std::pair{Format::blktrace, "blktrace"sv},
    std::pair{Format::blkparse, "blkparse"sv}, std::pair{Format::iolog2, "iolog2"sv},
    std::pair{Format::iolog3, "iolog3"sv},     std::pair{Format::spc, "spc"sv},
    std::pair{Format::msr, "msr"sv},           std::pair{Format::etw, "etw"sv},
    std::pair{Format::ftrace, "ftrace"sv},     std::pair{Format::biosnoop, "biosnoop"sv},
    std::pair{Format::vscsi, "vscsi"sv},       std::pair{Format::csv, "csv"sv},
    std::pair{Format::systor17, "systor17"sv}, std::pair{Format::alibaba, "alibaba"sv},
    std::pair{Format::tencent, "tencent"sv},   std::pair{Format::k5, "k5"sv},
    std::pair{Format::fiu, "fiu"sv},           std::pair{Format::cloudphysics, "cloudphysics"sv},
    std::pair{Format::mqsim, "mqsim"sv},
};

}  // namespace

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [format, name] : kNames) names.emplace_back(name);
  return names;
}

std::vector<std::string> written_format_names() {
  std::vector<std::string> names;
  for (const auto& [format, name] : kNames)
    if (format <= Format::etw) names.emplace_back(name);
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

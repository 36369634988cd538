// Windows' file times: 100 ns each, since the year 1601.
#pragma once

#include <optional>

#include "trace/line.h"

namespace platter::trace {

constexpr Nanoseconds kFileTimeUnit_ns = 100;
constexpr std::uint64_t kFileTimeOf1970 = 116'444'736'000'000'000;

// Times since the first one that was read, which may be before it.
class FileTimes {
 public:
  Nanoseconds since_first(const Line& line, std::size_t field, const char* what) {
    const std::string_view text = line[field];
    if (text.find_first_of(".eE") != text.npos)
      line.fail(field, fmt::format("{} {} is rounded; take the file as it was before a spreadsheet "
                                   "saved it",
                                   what, shown(text)));
    const auto time = line.integer<std::uint64_t>(field, what);
    const std::optional<Nanoseconds> since_ns = since_first(time);
    if (!since_ns)
      line.fail(field,
                fmt::format("{} {} is years from that of the first record", what, shown(text)));
    return *since_ns;
  }

  // Nothing of a time that is years from the first.
  std::optional<Nanoseconds> since_first(std::uint64_t time) {
    if (first_ == 0) first_ = time;
    const std::uint64_t apart = time > first_ ? time - first_ : first_ - time;
    if (apart > static_cast<std::uint64_t>(kLongestTime_ns) / kFileTimeUnit_ns) return std::nullopt;
    const Nanoseconds apart_ns = static_cast<Nanoseconds>(apart) * kFileTimeUnit_ns;
    return time > first_ ? apart_ns : -apart_ns;
  }

 private:
  std::uint64_t first_ = 0;
};

}  // namespace platter::trace

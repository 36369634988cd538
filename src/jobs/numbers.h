// Numbers as people type them: 1000, 1e3, 10k, 5s, 67%.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace platter::jobs {

using Units = std::map<std::string_view, double>;  // "": of a number without one
inline const Units kCounted = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}};

constexpr double kExact = 9007199254740992;  // 2^53

// nullopt: no number, or a unit that is not there.
std::optional<double> scaled(const std::string& text, const Units& units);
// 0 to 2^64 - 1, of digits alone; or with an exponent or one of kCounted: 1e3, 10k.
std::optional<std::uint64_t> whole_number(const std::string& text);

}  // namespace platter::jobs

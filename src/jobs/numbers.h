// Numbers as people type them: 1000, 1e3, 10k, 5s, 67%.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scsi/guard.h"

namespace platter::jobs {

using Units = std::map<std::string_view, double>;  // "": of a number without one
inline const Units kCounted = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}};

constexpr double kExact = 9007199254740992;  // 2^53

// nullopt: no number, or a unit that is not there.
std::optional<double> scaled(const std::string& text, const Units& units);
// 0 to 2^64 - 1, of digits alone; or with an exponent or one of kCounted: 1e3, 10k.
std::optional<std::uint64_t> whole_number(const std::string& text);

// LBN ranges on the command line: FIRST-LAST, several with commas between.
// Throws Error(usage) for what is no range.
std::vector<LbnRange> lbn_ranges(const std::vector<std::string>& texts);

// Of --allow-writes, which also says `all` for the whole drive of so many blocks.
std::vector<LbnRange> writable_ranges(const std::vector<std::string>& texts, std::uint64_t blocks);

}  // namespace platter::jobs

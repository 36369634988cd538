// The trace formats by name: the one list that command lines, messages and the detection share.
// docs/traces.md says what a line or record of each holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace platter::trace {

enum class Format : std::uint8_t {
  detect,    // from the beginning of the content
  ascii,     // DiskSim: time_ms device lbn blocks flags(hex), ascending; flag 1 is a read
  validate,  // DiskSim: R|W tag lbn blocks service_us think_us
};

// Every format but `detect`, by the names that --format, --from and --to take.
std::vector<std::string> format_names();
std::string_view name_of(Format format);

// An empty name: detect. Throws Error(usage) for one that no format has.
Format format_of(std::string_view name);

}  // namespace platter::trace

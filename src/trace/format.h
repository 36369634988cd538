// The trace formats by name. docs/traces.md says what a line or record of each holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace platter::trace {

enum class Format : std::uint8_t {
  detect,  // from the beginning of the content
#define PLATTER_FORMAT(name, row) name,
#include "trace/formats.inc"
#undef PLATTER_FORMAT
};

// Every format but `detect`, by the names that --format and --from take.
std::vector<std::string> format_names();
// Those of them that are written: what --to takes.
std::vector<std::string> written_format_names();
std::string_view name_of(Format format);

// An empty name: detect. Throws Error(usage) for one that no format has.
Format format_of(std::string_view name);

// A device as a command line names it: a number, or MAJOR:MINOR of Linux. nullopt: it is a name.
std::optional<std::uint32_t> number_of_device(std::string_view text);

}  // namespace platter::trace

// The line of JSON at the head of a result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "replay/result.h"

namespace platter::replay {

// Without its end. `rows`: of the file, reference reads among them.
std::string head_text(const ResultHead& head, std::uint64_t rows);
// Throws Error(bad_input) that begins with `path`. In a head of a newer minor version `passed_over`
// has what this one does not know.
ResultHead head_of(std::string_view text, const std::string& path);
// The file that the head was read from is of a newer minor version.
bool is_newer(const ResultHead& head);
// A member or column of the file that the head was read from is none that a result has. Throws
// Error(bad_input) unless the file is of a newer minor version, whose own that may be.
void pass_over(const std::string& member, const std::string& path, ResultHead& head);

}  // namespace platter::replay

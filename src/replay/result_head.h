// The line of JSON at the head of a result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "replay/result.h"

namespace platter::replay {

// Without its end. `rows`: of the file, reference reads among them.
std::string head_text(const ResultHead& head, std::uint64_t rows);
// Throws Error(bad_input) that begins with `path`.
ResultHead head_of(std::string_view text, const std::string& path);

}  // namespace platter::replay

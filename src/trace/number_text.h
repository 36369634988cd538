// Numbers as programs and spreadsheets of any country write them, made plain: digits and a point.
#pragma once

#include <string>
#include <string_view>

#include "trace/columns.h"

namespace platter::trace {

// `text` with a point for decimals and nothing between thousands; 0x1f00, or any number where it is
// hexadecimal, as the same number in digits. What is no such number stays as it is. What is not
// plain already is made so in `room`.
std::string_view plain_number(std::string_view text, const NumberStyle& style, bool hexadecimal,
                              std::string& room);

// Digits alone, and digits with one point among them.
bool is_whole(std::string_view text);
bool is_time(std::string_view text);

}  // namespace platter::trace

// Serial numbers that tell nothing: those that a maker of bridges gives to all of them, or that are
// none. And when two ways of writing a number are one number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace platter::identity {

// Why this number tells no drive from another, for a sentence ("counts up"); nullopt: it may.
std::optional<std::string> why_worthless(std::string_view serial);

// The same number, but for the case of letters, blanks, dashes and zeros in front; cut short by a
// field of a fixed length; backwards, or as the hexadecimal codes of its letters, as some bridges
// write it.
bool same_number(std::string_view a, std::string_view b);

}  // namespace platter::identity

#include "trace/number_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace platter::trace {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// How long the sign between thousands is that `text` begins with: blanks (also those that do not
// break, in Latin-1 and UTF-8), points, commas, apostrophes; 0: none.
std::size_t between_thousands(std::string_view text, char decimal) {
  for (const std::string_view sign : {"\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "\xe2\x80\x99"})
    if (text.starts_with(sign)) return sign.size();
  constexpr std::string_view kSigns = ".,' \xa0";
  return text.front() != decimal && kSigns.find(text.front()) != kSigns.npos ? 1 : 0;
}

// Without the signs between thousands, three digits behind the last and three, or as in India two,
// behind the others; as it was where there are not.
std::string without_thousands(std::string_view text, char decimal) {
  std::string plain;
  std::size_t digits = 0;  // since the last sign
  bool signs = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t sign = text[at] == decimal ? 0 : between_thousands(text.substr(at), decimal);
    if (text[at] == decimal || sign > 0) {
      const bool last = text[at] == decimal;
      if (digits == 0 || (signs && digits != 3 && (last || digits != 2))) return std::string(text);
      if (last) return plain.append(text.substr(at));
      signs = true;
      digits = 0;
      at += sign;
      continue;
    }
    if (!is_digit(text[at])) return std::string(text);
    ++digits;
    plain += text[at++];
  }
  return signs && digits != 3 ? std::string(text) : plain;
}

}  // namespace

std::string_view plain_number(std::string_view text, const NumberStyle& style, bool hexadecimal,
                              std::string& room) {
  const bool marked = text.starts_with("0x") || text.starts_with("0X");
  if (marked || hexadecimal) {
    const std::string_view digits = text.substr(marked ? 2 : 0);
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, value, 16);
    if (error != std::errc() || rest != end) return text;
    return room = std::to_string(value);
  }
  if (style.plain()) return text;
  room = style.thousands ? without_thousands(text, style.decimal) : std::string(text);
  if (style.decimal == ',' && room.find('.') == room.npos) std::ranges::replace(room, ',', '.');
  return room;
}

bool is_whole(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool is_time(std::string_view text) {
  const auto points = std::ranges::count(text, '.');
  return points <= 1 && static_cast<std::size_t>(points) < text.size() &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '.'; });
}

}  // namespace platter::trace

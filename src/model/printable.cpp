#include "model/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace platter::model {
namespace {

// One character of UTF-8, or what stands in place of one.
struct Letter {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  enum class Kind { whole, cut, broken } kind = Kind::whole;
};

// Unicode 15, table 3-7.
Letter letter_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return {lead, 1, Letter::Kind::broken};
  std::uint32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i == text.size()) return {lead, i, Letter::Kind::cut};
    const unsigned least = i > 1 ? 0x80 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned most = i > 1 ? 0xBF : lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte(i) < least || byte(i) > most) return {lead, 1, Letter::Kind::broken};
    code = code << 6 | (byte(i) & 0x3F);
  }
  return {code, length};
}

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

// How many bytes from `at` on are letters of ASCII: nearly all of what is printed.
std::size_t plain_at(std::string_view text, std::size_t at, bool lines) {
  const auto end = std::find_if(
      text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
      [&](char c) { return (c < ' ' || c > '~') && !(lines && c == '\n'); });
  return static_cast<std::size_t>(end - text.begin()) - at;
}

std::size_t append(std::string& out, std::string_view text, bool lines) {
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t plain = plain_at(text, at, lines)) {
      out.append(text, at, plain);
      at += plain;
      continue;
    }
    const Letter letter = letter_at(text, at);
    if (letter.kind == Letter::Kind::cut) return text.size() - at;
    if (letter.kind == Letter::Kind::broken)
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", letter.code);
    else if (is_control(letter.code) && !(lines && letter.code == '\n'))
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", letter.code);
    else
      out.append(text, at, letter.bytes);
    at += letter.bytes;
  }
  return 0;
}

}  // namespace

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t at; (at = text.find(what, from)) != std::string_view::npos;
       from = at + what.size())
    out.append(text, from, at - from).append(with);
  return out.append(text, from);
}

std::string printable(std::string_view text) {
  std::string out;
  const std::size_t cut = append(out, text, false);
  for (const char byte : text.substr(text.size() - cut))
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(byte));
  return out;
}

std::string without_middle(std::string sentence) {
  constexpr std::size_t kEach = 10'000;  // bytes at each end: longer than two paths
  if (sentence.size() <= 2 * kEach) return sentence;
  const auto within_letter = [&](std::size_t at) { return (sentence[at] & 0xC0) == 0x80; };
  std::size_t from = kEach, to = sentence.size() - kEach;
  while (from > 0 && within_letter(from)) --from;
  while (to < sentence.size() && within_letter(to)) ++to;
  return sentence.replace(from, to - from, fmt::format(" ... ({} bytes) ... ", to - from));
}

std::size_t append_printable_lines(std::string& out, std::string_view text) {
  return append(out, text, true);
}

}  // namespace platter::model

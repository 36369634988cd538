#include "registry/told_serials.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "registry/privacy.h"

namespace platter::registry {
namespace {

constexpr std::string_view kWord = "serial";

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }

bool is_of_number(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
}

// Past "number", "no" and the like; npos: it is another word, as in "serial_by".
std::size_t behind_word(std::string_view text, std::size_t at) {
  for (const std::string_view rest : {"number", "num", "no"}) {
    std::size_t from = at;
    if (from < text.size() && (text[from] == ' ' || text[from] == '_' || text[from] == '-')) ++from;
    if (place_of_serial(text.substr(from, rest.size()), rest) == 0 &&
        (from + rest.size() == text.size() || !is_letter(text[from + rest.size()])))
      return from + rest.size();
  }
  return at < text.size() && is_letter(text[at]) ? std::string_view::npos : at;
}

// What stands between a name and its value: blanks, quotation marks, ": = , |" and tags. On one
// line, but for tags.
struct Value {
  std::size_t at;
  char quote = 0;  // that opened it
};
Value value_from(std::string_view text, std::size_t at) {
  constexpr std::string_view kBetween = " \t:=,|\"'";
  bool is_told = false;  // the quotation mark behind a member's name does not open its value
  Value value{at};
  for (; value.at < text.size(); ++value.at) {
    const char c = text[value.at];
    if (c == '<') {
      value.at = std::min(text.find('>', value.at), text.size() - 1);
      is_told = true;
    } else if (kBetween.find(c) == std::string_view::npos) {
      break;
    } else if (c == '"' || c == '\'') {
      value.quote = is_told ? c : 0;
      if (is_told) return {value.at + 1, c};
    } else if (c != ' ' && c != '\t') {
      is_told = true;
    }
  }
  return value;
}

std::string value_of(std::string_view text, const Value& value) {
  std::size_t end = value.at;
  if (value.quote != 0)
    end = std::min(text.find(value.quote, value.at), text.size());
  else
    while (end < text.size() && is_of_number(text[end])) ++end;
  std::string_view found = text.substr(value.at, end - value.at);
  while (found.starts_with(' ')) found.remove_prefix(1);
  while (found.ends_with(' ')) found.remove_suffix(1);
  constexpr std::size_t kLongest = 64;  // of a serial number, ATA's have 20 characters, SCSI's few
  return std::string(found.substr(0, kLongest));
}

bool has_digit(const std::string& text) {
  return std::ranges::any_of(
      text, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

std::string in_pairs(const std::string& serial) {
  std::string swapped = serial;
  for (std::size_t i = 0; i + 1 < swapped.size(); i += 2) std::swap(swapped[i], swapped[i + 1]);
  return swapped;
}

// Of either order of bytes, but for its first or last one.
std::string in_utf16(const std::string& serial) {
  std::string wide;
  for (const char c : serial) wide.append(wide.empty() ? 0 : 1, '\0').append(1, c);
  return wide;
}

std::string in_digits(const std::string& serial, std::string_view between) {
  std::string digits;
  for (const char c : serial)
    digits += fmt::format("{}{:02x}", digits.empty() ? "" : between,
                          static_cast<unsigned>(static_cast<unsigned char>(c)));
  return digits;
}

}  // namespace

std::vector<std::string> told_serials(std::string_view content) {
  std::vector<std::string> told;
  for (std::size_t at = place_of_serial(content, kWord); at != std::string_view::npos;
       at = place_of_serial(content, kWord, at + kWord.size())) {
    const std::size_t behind = behind_word(content, at + kWord.size());
    if (behind == std::string_view::npos) continue;
    const Value value = value_from(content, behind);
    std::string number = value_of(content, value);
    const bool is_one = is_telling(number) && (value.quote != 0 || has_digit(number));
    if (is_one && !is_stand_in(number)) told.push_back(std::move(number));
  }
  return told;
}

std::vector<std::string> spellings_of(const std::string& serial) {
  std::vector<std::string> all;
  for (const std::string& order : {serial, in_pairs(serial)})
    for (const std::string& spelled :
         {order, in_utf16(order), in_digits(order, ""), in_digits(order, " ")})
      all.push_back(spelled);
  return all;
}

}  // namespace platter::registry

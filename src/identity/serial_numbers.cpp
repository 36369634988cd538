#include "identity/serial_numbers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <set>
#include <tuple>

namespace platter::identity {
namespace {

constexpr std::size_t kShortest = 2;  // characters
// A part of a number that stands for the whole: all fields of a fixed length hold as much.
constexpr std::size_t kTellingPart = 6;

// Beginnings of what whole series of bridges say, as their users posted it in public.
struct Known {
  std::string_view beginning, who;
};
constexpr std::array kKnown = {
    // The maker's and the bridge's USB ids: 152D203380B6, 152D00539000; 058F63666485.
    Known{"152D", "JMicron's bridges make it of their own USB ids"},
    Known{"058F", "Alcor's bridges make it of their own USB ids"},
    // DD564198838A1, ...B8, ...9C; DB98765432146: a bridge's, whatever stands behind it.
    Known{"DD56419883", "JMicron's bridges give it to all disks"},
    Known{"DB98765432", "JMicron's bridges give it to all disks"},
    Known{"PROLIFIC", "it begins with the name of a maker of bridges"},
    Known{"NONE", "it stands for none"},
    Known{"NULL", "it stands for none"},
    Known{"NOSERIAL", "it stands for none"},
    Known{"NONUMBER", "it stands for none"},
    Known{"NOTAVAILABLE", "it stands for none"},
    Known{"NOTSPECIFIED", "it stands for none"},
    Known{"NOTAPPLICABLE", "it stands for none"},
    Known{"DEFAULT", "it stands for none"},
    Known{"EMPTY", "it stands for none"},
    Known{"INVALID", "it stands for none"},
    Known{"UNKNOWN", "it stands for none"},
    Known{"SERIAL", "it stands for none"},
    Known{"TOBEFILLED", "it stands for none"},
};

// 20130805, 202206054D01, 20170331000C3: the day of a firmware, which all disks of an enclosure are
// given.
bool begins_with_a_day(const std::string& text) {
  if (text.size() != 8 && text.size() != 12 && text.size() != 13) return false;
  if (!text.starts_with("20")) return false;
  const auto number = [&](std::size_t at) {
    const int tens = text[at] - '0', ones = text[at + 1] - '0';
    return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? 10 * tens + ones : -1;
  };
  const int year = number(2), month = number(4), day = number(6);
  return year >= 5 && year <= 40 && month >= 1 && month <= 12 && day >= 0 && day <= 31;
}

std::string plain(std::string_view text) {
  std::string letters;
  for (const unsigned char c : text)
    if (std::isalnum(c)) letters += static_cast<char>(std::toupper(c));
  return letters;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// 8 9 A, 8 9 0, E F 0, X Y Z: how people fill in a field.
bool follows(char a, char b) {
  if (a >= 'A' && a < 'Z' && b == a + 1) return true;
  const int from = digit(a), to = digit(b);
  if (from < 0 || to < 0) return false;
  return to == from + 1 || (to == 0 && (from == 9 || from == 15)) || (from == 0 && to == 1);
}

// The longest run of digits that count up, or down.
std::size_t longest_count(const std::string& text) {
  std::size_t longest = 0, up = 1, down = 1;
  for (std::size_t i = 1; i < text.size(); ++i) {
    up = follows(text[i - 1], text[i]) ? up + 1 : 1;
    down = follows(text[i], text[i - 1]) ? down + 1 : 1;
    longest = std::max({longest, up, down});
  }
  return longest;
}

// From its first character on, two times and more: FFFF, ABAB, 123123, DEADBEEFDEADBEEF.
bool repeats_itself(const std::string& text) {
  for (std::size_t period = 1; 2 * period <= text.size(); ++period)
    if (std::equal(text.begin() + static_cast<std::ptrdiff_t>(period), text.end(), text.begin()))
      return true;
  return false;
}

// 0000FFFF0000, 100000000011: eight digits of a drive's own number are so with a probability of
// 1e-4, and more characters, or letters among them, with a smaller one.
bool is_of_two_characters(const std::string& text) {
  constexpr std::size_t kLong = 8;
  const std::set<char> characters(text.begin(), text.end());
  return text.size() >= kLong && characters.size() <= 2;
}

// "57583131" of "WX11"; empty: these are no codes of letters.
std::string from_codes(const std::string& codes) {
  std::string text;
  if (codes.size() % 2 != 0) return text;
  for (std::size_t i = 0; i < codes.size(); i += 2) {
    const int high = digit(codes[i]), low = digit(codes[i + 1]);
    const int code = 16 * high + low;
    if (high < 0 || low < 0 || code < 0x20 || code > 0x7E) return {};
    text += static_cast<char>(code);
  }
  return plain(text);
}

std::string without_zeros_in_front(const std::string& text) {
  const auto first = text.find_first_not_of('0');
  return first == std::string::npos ? std::string() : text.substr(first);
}

bool one_in_the_other(const std::string& a, const std::string& b) {
  const auto& [shorter, longer] = a.size() < b.size() ? std::tie(a, b) : std::tie(b, a);
  if (shorter == longer) return !shorter.empty();
  return shorter.size() >= kTellingPart &&
         (longer.starts_with(shorter) || longer.ends_with(shorter));
}

}  // namespace

std::optional<std::string> why_worthless(std::string_view serial) {
  if (serial.find('?') != std::string_view::npos) return "it is no text";
  const std::string text = plain(serial);
  if (text.size() < kShortest) return "it is too short to be a drive's own";
  if (text == "NA" || text == "NIL" || text == "TBD") return "it stands for none";
  if (repeats_itself(text)) return "it repeats itself";
  if (is_of_two_characters(text)) return "it has but two characters";
  const auto known = std::ranges::find_if(
      kKnown, [&](const Known& row) { return text.starts_with(row.beginning); });
  if (known != kKnown.end()) return std::string(known->who);
  if (begins_with_a_day(text)) return "it is the day of a bridge's firmware";
  // Makers count their drives, too, but not in most of the digits.
  constexpr std::size_t kCount = 6;
  const std::size_t count = longest_count(text);
  if (count >= kCount && 5 * count >= 3 * text.size()) return "it counts up or down";
  const auto zeros = static_cast<std::size_t>(std::ranges::count(text, '0'));
  if (text.size() >= 8 && 5 * zeros >= 4 * text.size()) return "it is zeros but for a digit or two";
  return std::nullopt;
}

bool same_number(std::string_view a, std::string_view b) {
  const std::string first = without_zeros_in_front(plain(a)),
                    second = without_zeros_in_front(plain(b));
  if (first.empty() || second.empty()) return false;
  const std::string backwards(second.rbegin(), second.rend());
  return one_in_the_other(first, second) || first == backwards ||
         one_in_the_other(from_codes(plain(a)), second) ||
         one_in_the_other(first, from_codes(plain(b)));
}

}  // namespace platter::identity

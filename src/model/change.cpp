#include "model/change.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "model/error.h"

namespace platter::model {
namespace {

constexpr int kMostDigits = 15;  // what a double holds, whatever the digits are

[[noreturn]] void fail(const std::string& text, const std::string& what) {
  throw Error(ExitStatus::usage, text + ": " + what);
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Takes the number off the front of `rest`.
Decimal take_number(const std::string& text, std::string_view& rest) {
  Decimal number;
  const bool negative = rest.starts_with('-');
  if (negative) rest.remove_prefix(1);
  int digits = 0, significant = 0, behind_point = 0;
  bool point = false;
  for (; !rest.empty() && (is_digit(rest[0]) || (rest[0] == '.' && !point));
       rest.remove_prefix(1)) {
    if (rest[0] == '.') {
      point = true;
      continue;
    }
    ++digits;
    if (number.mantissa > 0 || rest[0] != '0') ++significant;
    if (point) ++behind_point;
    if (std::max(significant, behind_point) > kMostDigits)
      fail(text, fmt::format("has a number of more than {} digits", kMostDigits));
    number.mantissa = number.mantissa * 10 + (rest[0] - '0');
    if (point) number.scale *= 10;
  }
  if (digits == 0)
    fail(text, "has no number after the =; write PATH=VALUE, PATH=xFACTOR or PATH=/FACTOR");
  if (negative) number.mantissa = -number.mantissa;
  return number;
}

}  // namespace

Change parse_change(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    fail(text, "is no change; write PATH=VALUE, PATH=xFACTOR or PATH=/FACTOR");
  Change change;
  change.text = text;
  change.path = text.substr(0, equals);
  std::string_view rest = std::string_view(text).substr(equals + 1);
  if (rest.starts_with('x') || rest.starts_with('*')) change.kind = Change::Kind::multiply;
  if (rest.starts_with('/')) change.kind = Change::Kind::divide;
  if (change.kind != Change::Kind::set) rest.remove_prefix(1);
  change.number = take_number(text, rest);
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  change.unit = rest;
  for (const char c : change.unit) {
    if (!std::isalpha(static_cast<unsigned char>(c)))
      fail(text, fmt::format("has \"{}\" after its number; a plain decimal number and perhaps its "
                             "unit are needed",
                             change.unit));
  }
  if (change.kind == Change::Kind::set) return change;
  if (!change.unit.empty()) fail(text, "has a unit after a factor; leave it out");
  if (change.number.mantissa < 0) fail(text, "has a factor below 0");
  if (change.kind == Change::Kind::divide && change.number.mantissa == 0)
    fail(text, "divides by 0");
  return change;
}

}  // namespace platter::model

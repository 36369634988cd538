#include "trace/line.h"

#include <algorithm>
#include <optional>

namespace platter::trace {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Digits with a point among them, as nearly all times are; nullopt: something else, or too long.
std::optional<Nanoseconds> plain_time(std::string_view text, Nanoseconds unit_ns) {
  constexpr int kMostDigits = 18;    // that 64 bits hold
  Nanoseconds value = 0, scale = 0;  // scale 0: no point yet
  int digits = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      if (++digits > kMostDigits) return std::nullopt;
      value = 10 * value + (c - '0');
      scale *= 10;
    } else if (c == '.' && scale == 0) {
      scale = 1;
    } else {
      return std::nullopt;
    }
  }
  if (digits == 0) return std::nullopt;
  scale = std::max<Nanoseconds>(scale, 1);
  if (scale > unit_ns) {
    const Nanoseconds divisor = scale / unit_ns;
    value = (value + divisor / 2) / divisor;
    return value <= kLongestTime_ns ? std::optional(value) : std::nullopt;
  }
  const Nanoseconds factor = unit_ns / scale;
  return value <= kLongestTime_ns / factor ? std::optional(value * factor) : std::nullopt;
}

}  // namespace

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string result(text.substr(0, kMost));
  for (char& c : result)
    if (c < ' ' || c > '~') c = '?';
  return text.size() > kMost ? result + "..." : result;
}

void Line::cut_at_blanks(std::string_view text) {
  text_ = text;
  count_ = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) return;
    const char* const begin = at;
    while (at != end && !is_blank(*at)) ++at;
    if (count_ < fields_.size()) fields_[count_] = {begin, static_cast<std::size_t>(at - begin)};
    ++count_;
  }
}

void Line::cut_at(char separator, std::string_view text) {
  text_ = text;
  count_ = 0;
  if (trimmed(text).empty()) return;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (count_ < fields_.size()) fields_[count_] = trimmed(text.substr(begin, end - begin));
    ++count_;
    if (end == text.size()) return;
    begin = end + 1;
  }
}

void Line::cut_quoted(char separator, std::string_view text) {
  cut_at(separator, {});
  text_ = text;
  if (trimmed(text).empty()) return;
  for (std::size_t begin = 0;;) {
    const std::size_t first = text.find_first_not_of(" \t", begin);
    const bool quoted = first != text.npos && text[first] == '"' && separator != '"';
    const std::size_t close = quoted ? text.find('"', first + 1) : text.npos;
    const std::size_t from = close != text.npos ? close : begin;
    const std::size_t end = std::min(text.find(separator, from), text.size());
    std::string_view field = trimmed(text.substr(begin, end - begin));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
      field = trimmed(field.substr(1, field.size() - 2));
    if (count_ < fields_.size()) fields_[count_] = field;
    ++count_;
    if (end == text.size()) return;
    begin = end + 1;
  }
}

void Line::set(std::string_view text, const std::vector<std::string_view>& fields) {
  text_ = text;
  count_ = std::min(fields.size(), fields_.size());
  std::copy_n(fields.begin(), count_, fields_.begin());
}

void Line::wrong_count(std::size_t wanted, const char* names) const {
  if (count_ < wanted)
    fail(end(), fmt::format("the line ends after {} of its {} fields ({}); the trace is cut "
                            "short or is in another format (see --format)",
                            count_, wanted, names));
  fail(wanted, fmt::format("\"{}\" follows the last of the {} fields ({}); the trace is in another "
                           "format (see --format)",
                           shown(fields_[wanted]), wanted, names));
}

std::optional<Nanoseconds> time_in(std::string_view text, Nanoseconds unit_ns) {
  if (const std::optional<Nanoseconds> plain = plain_time(text, unit_ns)) [[likely]]
    return plain;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const double time_ns = value * static_cast<double>(unit_ns);
  if (error != std::errc() || end != text.data() + text.size() ||
      !(time_ns >= 0 && time_ns <= static_cast<double>(kLongestTime_ns)))
    return std::nullopt;
  return std::llround(time_ns);
}

Nanoseconds Line::time(std::size_t index, const char* what, Nanoseconds unit_ns) const {
  const std::string_view text = fields_[index];
  if (const std::optional<Nanoseconds> time_ns = time_in(text, unit_ns)) [[likely]]
    return *time_ns;
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error == std::errc::invalid_argument || end != last)
    fail(index, fmt::format("{} \"{}\" is no number", what, shown(text)));
  fail(index, fmt::format("{} {} is out of range (0 to {:.0f})", what, shown(text),
                          static_cast<double>(kLongestTime_ns) / static_cast<double>(unit_ns)));
}

}  // namespace platter::trace

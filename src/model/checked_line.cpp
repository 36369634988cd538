#include "model/checked_line.h"

#include <fmt/core.h>
#include <zlib.h>

#include <array>
#include <charconv>

namespace platter::model {
namespace {

constexpr std::string_view kCheck = ",\"line\":[", kBeforeSum = ",\"", kEnd = "\"]}";
constexpr std::size_t kSumDigits = 8;

std::string sum_of(std::string_view text) {
  const auto sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
  return fmt::format("{:0{}x}", sum, kSumDigits);
}

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr == text.data()) return false;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return true;
}

bool take(std::string_view& text, std::string_view wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(wanted.size());
  return true;
}

// As it says, nothing verified.
struct Check {
  std::uint64_t number = 0;
  std::size_t bytes = 0, summed = 0, length = 0;  // before it, and what of it is summed up
  std::string_view sum{};
};

std::optional<Check> check_at(std::string_view text) {
  Check check;
  const std::size_t all = text.size();
  if (!take(text, kCheck) || !take_number(text, check.number) || !take(text, ",") ||
      !take_number(text, check.bytes))
    return std::nullopt;
  check.summed = all - text.size();
  if (!take(text, kBeforeSum) || text.size() < kSumDigits) return std::nullopt;
  check.sum = text.substr(0, kSumDigits);
  text.remove_prefix(kSumDigits);
  if (!take(text, kEnd)) return std::nullopt;
  check.length = all - text.size();
  return check;
}

}  // namespace

LineRead read_line(std::istream& in, std::string& line, std::size_t most) {
  std::array<char, 16384> piece;
  line.clear();
  while (true) {
    in.getline(piece.data(), piece.size());
    if (in.bad()) return LineRead::failed;
    const auto length = static_cast<std::size_t>(in.gcount());
    const bool whole = !in.fail() && !in.eof();
    line.append(piece.data(), whole ? length - 1 : length);  // without the line's end
    if (line.size() > most) return LineRead::too_long;
    if (whole) return LineRead::whole;
    if (in.eof()) return line.empty() ? LineRead::none : LineRead::cut;
    in.clear();  // a longer line
  }
}

std::string checked_line(std::string_view object, std::uint64_t number) {
  object.remove_suffix(1);  // its brace
  const std::string line = fmt::format("{}{}{},{}", object, kCheck, number, object.size());
  return line + fmt::format("{}{}{}", kBeforeSum, sum_of(line), kEnd);
}

std::string without_check(std::string_view line) {
  const std::size_t check = line.rfind(kCheck);
  return check == std::string_view::npos ? std::string(line)
                                         : std::string(line.substr(0, check)) + '}';
}

std::vector<CheckedLine> checked_lines_in(std::string_view text) {
  std::vector<CheckedLine> lines;
  std::size_t from = 0;
  // Whoever made up checks of lines that overlap gets no more than a few looks at each byte.
  std::size_t left = 4 * text.size();
  for (std::size_t at = text.find(kCheck); at != std::string_view::npos;
       at = text.find(kCheck, at + 1)) {
    const auto check = check_at(text.substr(at));
    if (!check || check->bytes > at - from || check->bytes > left) continue;
    left -= check->bytes;
    const std::size_t begin = at - check->bytes;
    if (sum_of(text.substr(begin, check->bytes + check->summed)) != check->sum) continue;
    from = at + check->length;
    lines.push_back({.number = check->number,
                     .begin = begin,
                     .end = from,
                     .object = std::string(text.substr(begin, check->bytes)) + '}'});
  }
  return lines;
}

std::optional<CheckedLine> as_checked_line(std::string_view text) {
  std::vector<CheckedLine> lines = checked_lines_in(text);
  if (lines.size() != 1 || lines[0].begin != 0 || lines[0].end != text.size()) return std::nullopt;
  return std::move(lines[0]);
}

std::string checked_file(std::string_view object) { return checked_line(object, 1) + "\n"; }

std::optional<std::string> object_of_checked_file(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  auto line = as_checked_line(text);
  return line ? std::optional(std::move(line->object)) : std::nullopt;
}

}  // namespace platter::model

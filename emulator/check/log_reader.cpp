#include "emulator/check/log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "model/checked_line.h"
#include "model/error.h"

namespace platter::emulator {

void LogReader::bad(const std::string& what) const {
  throw Error(ExitStatus::bad_input,
              fmt::format("{}{}; give the log of an emulation of these models", place(), what));
}

std::string LogReader::place() const {
  return fmt::format("{}:{}: ", name_, std::max<std::uint64_t>(line_number_, 1));
}

bool LogReader::next_line() {
  constexpr std::size_t kLongest = 1 << 22;  // a command's data, two digits a byte
  const model::LineRead read = model::read_line(log_, text_, kLongest);
  ++line_number_;
  if (read == model::LineRead::too_long) bad("it is longer than any line of a log");
  if (read != model::LineRead::whole) return false;
  rest_ = text_;
  return true;
}

LogReader::Head LogReader::read_head(std::size_t drives) {
  std::size_t drive = 0;
  const char* const end = rest_.data() + rest_.size();
  const auto [after, error] = std::from_chars(rest_.data(), end, drive);
  if (error != std::errc{} || drive >= drives || end - after < 2 || *after != ' ')
    bad("it does not begin with the number of a drive");
  const Head head{drive, after[1]};
  rest_.remove_prefix(static_cast<std::size_t>(after - rest_.data()) + 2);
  return head;
}

std::string_view LogReader::word() {
  if (rest_.size() < 2 || rest_.front() != ' ') bad("there are too few words");
  rest_.remove_prefix(1);
  const std::string_view found = rest_.substr(0, rest_.find(' '));
  rest_.remove_prefix(found.size());
  return found;
}

std::int64_t LogReader::number() {
  const std::string_view text = word();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) bad("something is no number");
  return value;
}

std::int64_t LogReader::number(std::int64_t least, std::int64_t most, const char* what) {
  const std::int64_t value = number();
  if (value < least || value > most) bad(what);
  return value;
}

Nanoseconds LogReader::time() {
  constexpr std::int64_t kLimit = std::int64_t{1} << 61;
  return number(-kLimit, kLimit, "a time is not from this world");
}

void LogReader::end() const {
  if (!rest_.empty()) bad("there is more than there should be");
}

}  // namespace platter::emulator

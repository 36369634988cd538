#include <algorithm>

#include "trace/formats.h"
#include "trace/line.h"

namespace platter::trace {

Format detected(Input& input) {
  constexpr std::size_t kEnough = 4096;
  const std::string_view head = input.peek(kEnough);
  const std::size_t begin = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  if (begin == head.size()) return Format::ascii;  // nothing: any reader says so
  const std::string_view word = head.substr(begin, head.find_first_of(" \t\r\n", begin) - begin);
  if (word == "R" || word == "W") return Format::validate;
  if ((word.front() >= '0' && word.front() <= '9') || word.front() == '.') return Format::ascii;
  const auto line = static_cast<std::uint64_t>(std::count(head.begin(), head.begin() + begin, '\n')) + 1;
  const std::size_t line_begin = head.substr(0, begin).rfind('\n') + 1;  // npos + 1: 0
  throw BadRecord(input.name(), {line, begin - line_begin + 1, false},
                  fmt::format("\"{}\" begins neither a validate trace (R or W) nor an ascii trace (a "
                              "time)",
                              shown(word)));
}

}  // namespace platter::trace

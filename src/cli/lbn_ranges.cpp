#include "cli/lbn_ranges.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "model/error.h"

namespace platter::cli {
namespace {

LbnRange range_of(const std::string& text) {
  LbnRange range;
  const char* const end = text.data() + text.size();
  const auto [dash, first_error] = std::from_chars(text.data(), end, range.first);
  bool good = first_error == std::errc();
  range.last = range.first;
  if (good && dash != end) {
    const auto [rest, last_error] = std::from_chars(dash + 1, end, range.last);
    good = *dash == '-' && last_error == std::errc() && rest == end;
  }
  if (!good || range.last < range.first)
    throw Error(ExitStatus::usage,
                fmt::format("\"{}\" is no range of LBNs: write FIRST-LAST, as 1000-1999", text));
  return range;
}

}  // namespace

std::vector<LbnRange> lbn_ranges(const std::vector<std::string>& texts) {
  std::vector<LbnRange> ranges;
  for (const std::string& text : texts)
    for (std::size_t first = 0; first <= text.size();) {
      const std::size_t end = std::min(text.find(',', first), text.size());
      ranges.push_back(range_of(text.substr(first, end - first)));
      first = end + 1;
    }
  return ranges;
}

}  // namespace platter::cli

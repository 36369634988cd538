#include "jobs/numbers.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "model/error.h"
#include "model/number_in.h"

namespace platter::jobs {

namespace {

LbnRange range_of(const std::string& text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto first = whole_number(text.substr(0, dash));
  const auto last = dash < text.size() ? whole_number(text.substr(dash + 1)) : first;
  if (first && last && *first <= *last) return {*first, *last};
  throw Error(
      ExitStatus::usage,
      fmt::format("\"{}\" is no range of LBNs: write FIRST-LAST, as 1000-1999 or 0-1e6", text));
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

std::vector<LbnRange> writable_ranges(const std::vector<std::string>& texts, std::uint64_t blocks) {
  if (std::ranges::find(texts, "all") == texts.end()) return lbn_ranges(texts);
  return {{0, blocks - std::min<std::uint64_t>(blocks, 1)}};
}

std::optional<double> scaled(const std::string& text, const Units& units) {
  if (text.empty() || text.find_first_of("xX") != std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !std::isfinite(number)) return std::nullopt;
  const auto unit = units.find(std::string_view(end));
  if (unit == units.end()) return std::nullopt;
  return number * unit->second;
}

std::optional<std::uint64_t> whole_number(const std::string& text) {
  if (const auto number = model::number_in<std::uint64_t>(text)) return number;
  const auto number = scaled(text, kCounted);
  if (!number || *number < 0 || *number > kExact || *number != std::floor(*number))
    return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

}  // namespace platter::jobs

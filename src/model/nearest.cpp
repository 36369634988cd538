#include "model/nearest.h"

#include <algorithm>
#include <limits>

namespace platter::model {
namespace {

// The restricted Damerau-Levenshtein distance.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> names) {
  constexpr std::size_t kLongest = 64;  // nobody mistypes more
  if (typed.empty() || typed.size() > kLongest) return std::nullopt;
  const std::string* found = nullptr;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::string& name : names) {
    const bool begun = typed.size() >= 3 && name.starts_with(typed);
    const std::size_t distance = begun ? 0 : edits(typed, name);
    const std::size_t bearable = std::max<std::size_t>(1, std::min(typed.size(), name.size()) / 3);
    if (distance < least && distance <= bearable) found = &name, least = distance;
  }
  if (!found) return std::nullopt;
  return *found;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> names,
                         const std::string& before, const std::string& behind) {
  const auto name = nearest(typed, names);
  return name ? "did you mean " + before + *name + behind + "? " : std::string();
}

}  // namespace platter::model

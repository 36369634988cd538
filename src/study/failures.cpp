#include "study/failures.h"

#include <algorithm>
#include <functional>

namespace platter::study {

Failures failures_of(const Points& points, const Store& store, std::span<const std::size_t> which) {
  Failures failures;
  for (const std::size_t index : which) {
    const nlohmann::json stored = store.point(points.points[index].key);
    if (stored.is_null() || is_result(stored)) continue;
    ++failures.points;
    const std::string sentence = stored.value("error", "");
    const auto known = std::ranges::find(failures.reasons, sentence, &Reason::sentence);
    if (known == failures.reasons.end())
      failures.reasons.push_back({sentence, index, 1});
    else
      ++known->points;
  }
  std::ranges::stable_sort(failures.reasons, std::ranges::greater(), &Reason::points);
  return failures;
}

}  // namespace platter::study

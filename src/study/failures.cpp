#include "study/failures.h"

#include <algorithm>
#include <functional>
#include <map>

namespace platter::study {

Failures failures_of(const Points& points, const Store& store, std::span<const std::size_t> which) {
  Failures failures;
  std::map<std::string, std::size_t> places;  // of the reasons
  for (const std::size_t index : which) {
    const nlohmann::json stored = store.point(points.points[index].key);
    if (stored.is_null() || is_result(stored)) continue;
    ++failures.points;
    const nlohmann::json said = stored.value("error", nlohmann::json());
    const std::string sentence = said.is_string() ? said.get<std::string>() : std::string();
    const auto [known, is_new] = places.try_emplace(sentence, failures.reasons.size());
    if (is_new) failures.reasons.push_back({sentence, index, 0});
    ++failures.reasons[known->second].points;
  }
  std::ranges::stable_sort(failures.reasons, std::ranges::greater(), &Reason::points);
  return failures;
}

}  // namespace platter::study

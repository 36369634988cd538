#include "study/store.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "model/checked_line.h"
#include "model/file.h"
#include "model/formats.h"
#include "model/strict_json.h"
#include "study/locked_file.h"

namespace platter::study {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestPoint = 1 << 20;

std::vector<fs::path> unfinished_in(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code is_not_there;
  fs::recursive_directory_iterator entry(folder, is_not_there);
  for (; !is_not_there && entry != fs::recursive_directory_iterator();
       entry.increment(is_not_there))
    if (entry->path().extension() == Claim::kUnfinished) all.push_back(entry->path());
  return all;
}

}  // namespace

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

std::string Store::point_path(const std::string& key) const {
  return folder_ + "/points/" + key.substr(0, 2) + "/" + key + ".json";
}

std::string Store::result_path(const std::string& key) const {
  return folder_ + "/results/" + key + ".csv.zst";
}

nlohmann::json Store::point(const std::string& key) const {
  const std::string path = point_path(key);
  if (!model::is_file(path)) return {};
  const auto line = model::object_of_checked_file(model::beginning_of(path, kLargestPoint));
  if (!line) return {};
  auto point = model::parse_or_null<nlohmann::json>(*line);
  if (!model::is_known(point, "platter-study-point")) return {};
  if (point.value("key", nlohmann::json()) != key) return {};
  return point;
}

// A claim that can be had is nobody's; it ends with its name.
void Store::tidy_up() const {
  for (const fs::path& path : unfinished_in(folder_))
    Claim::on(fs::path(path).replace_extension().string(), false);
}

bool is_result(const nlohmann::json& point) {
  return point.is_object() && point.contains("result");
}

}  // namespace platter::study

#include "study/store.h"

#include <filesystem>
#include <vector>

#include "model/checked_line.h"
#include "model/file.h"
#include "model/folder.h"
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

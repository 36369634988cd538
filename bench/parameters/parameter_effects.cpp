// Which parameters of characterized models change what the models predict: each key of the schema
// is given other values, one at a time, and workloads of many kinds are predicted again.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "keys.h"
#include "model/error.h"
#include "model/json.h"
#include "workloads.h"

namespace {

using namespace platter;

struct Found {
  std::set<std::string> all, stated, effective,
      would_be;                              // would_be: not stated, yet effective if it were
  std::map<std::string, std::string> first;  // the workload that changes first
};

Found effects_of(const std::string& file) {
  const model::DriveModel model = model::load_model(file);
  const bench::Predictions predictions(model);
  Found found;
  for (const bench::Key& key : bench::keys_of(model)) {
    found.all.insert(key.path);
    if (key.stated) found.stated.insert(key.path);
    for (const bench::Change& change : key.changes) {
      const std::string workload = predictions.changed_by(change);
      if (workload.empty()) continue;
      (key.stated ? found.effective : found.would_be).insert(key.path);
      found.first[key.path] = workload;
      break;
    }
  }
  return found;
}

std::string listed(const std::set<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += (text.empty() ? "`" : ", `") + path + "`";
  return text.empty() ? "none" : text;
}

std::set<std::string> without(std::set<std::string> from, const std::set<std::string>& what) {
  std::erase_if(from, [&](const std::string& path) { return what.contains(path); });
  return from;
}

}  // namespace

int main(int count, char** words) {
  CLI::App app("which parameters of models change what they predict");
  std::vector<std::string> files;
  std::size_t least = 0;
  bool each = false, no_idle = false;
  app.add_option("MODEL", files, "models that platter characterize made")->required();
  app.add_option("--least", least,
                 "status 1 where a model has fewer keys that change a prediction");
  app.add_flag("--no-idle", no_idle, "status 1 where a stated key changes none");
  app.add_flag("--each", each, "for each key the first workload that it changes");
  CLI11_PARSE(app, count, words);
  bool failed = false;
  try {
    std::set<std::string> keys, expressed, stated;
    fmt::print(
        "| model | keys with a value | that change a prediction | with a value, no change | "
        "without a value, would change one |\n|---|---|---|---|---|\n");
    std::vector<std::pair<std::string, Found>> all;
    for (const std::string& file : files) {
      Found found = effects_of(file);
      const std::set<std::string> idle = without(found.stated, found.effective);
      fmt::print("| {} | {} | {} | {} | {} |\n", file.substr(file.rfind('/') + 1),
                 found.stated.size(), found.effective.size(), listed(idle), found.would_be.size());
      keys.insert(found.all.begin(), found.all.end());
      expressed.insert(found.effective.begin(), found.effective.end());
      stated.insert(found.effective.begin(), found.effective.end());
      expressed.insert(found.would_be.begin(), found.would_be.end());
      failed |= found.effective.size() < least || (no_idle && !idle.empty());
      all.emplace_back(file, std::move(found));
    }
    fmt::print(
        "\nThe schema has {} keys. In one or another of these models {} have a value that changes "
        "a "
        "prediction, {} more would if they had one: {}.\nNothing changes with {}.\n",
        keys.size(), stated.size(), expressed.size() - stated.size(),
        listed(without(expressed, stated)), listed(without(keys, expressed)));
    if (each)
      for (const auto& [file, found] : all)
        for (const auto& [path, workload] : found.first)
          fmt::print("{}: {}{}: {}\n", file, path,
                     found.stated.contains(path) ? "" : " (not stated)", workload);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.status());
  }
  return failed ? 1 : 0;
}

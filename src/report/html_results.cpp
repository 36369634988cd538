#include "report/html_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "model/error.h"

namespace platter::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDrive = ".drive.csv";
constexpr const char* kResult = ".csv";

std::vector<std::string> csv_files(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(kResult)) names.push_back(name);
  }
  if (error)
    throw Error(ExitStatus::bad_input, fmt::format("{}: cannot be read as a folder of results: {}",
                                                   folder, error.message()));
  std::sort(names.begin(), names.end());
  return names;
}

auto order(const std::string& workload) {
  return std::tuple(workload == "random" ? 0 : workload == "mixed" ? 1 : 2, workload);
}

std::string middle(const std::string& name, const std::string& workload) {
  const std::size_t first = workload.size() + 1;
  return name.substr(first, name.size() - first - std::string(kResult).size());
}

}  // namespace

std::vector<WorkloadResults> load_workloads(const std::string& folder) {
  const std::vector<std::string> names = csv_files(folder);
  std::vector<WorkloadResults> workloads;
  for (const std::string& drive : names) {
    if (!drive.ends_with(kDrive)) continue;
    WorkloadResults workload;
    workload.name = drive.substr(0, drive.size() - std::string(kDrive).size());
    workload.drive = replay::load_result((fs::path(folder) / drive).string());
    if (workload.drive.target == replay::Result::Target::model)
      continue;  // of a model X.drive.json
    for (const std::string& name : names) {
      if (name == drive || !name.starts_with(workload.name + ".") ||
          name.size() <= workload.name.size() + std::string(kResult).size())
        continue;
      workload.model_files.push_back(middle(name, workload.name));
      workload.models.push_back(replay::load_result((fs::path(folder) / name).string()));
      workload.comparisons.push_back(
          replay::compare_with_error(workload.drive, workload.models.back()));
    }
    workloads.push_back(std::move(workload));
  }
  if (workloads.empty())
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: holds no results of a drive (*{}); give the folder that platter "
                            "validate -o wrote",
                            folder, kDrive));
  std::sort(workloads.begin(), workloads.end(),
            [](const WorkloadResults& a, const WorkloadResults& b) {
              return order(a.name) < order(b.name);
            });
  return workloads;
}

}  // namespace platter::report

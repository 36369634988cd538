// What a study's file asks: models, traces, options, of which every combination is a point.
// docs/studies.md tells the file.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/read_budget.h"
#include "trace/fit.h"
#include "trace/stream.h"
#include "trace/workload.h"

namespace platter::study {

struct ModelSpec {
  std::string source{};                // a file's path, or registry:REFERENCE
  std::vector<std::string> changes{};  // as platter derive takes them: PATH=VALUE
  // Of an array, which has no source: its level, its members, what else is said of it.
  std::string array{};
  std::vector<ModelSpec> members{};
  nlohmann::json plan = nlohmann::json::object();
  std::string name{};   // in the table
  std::string given{};  // as the study names it
  std::string where{};  // "depths.json: model 2", for sentences
};

struct TraceSpec {
  std::string name{};   // in the table
  std::string given{};  // as the study names it
  std::string where{};  // "depths.json: trace 2", for sentences
  // A file, or a workload that is made for each model.
  std::string path{};
  std::optional<trace::Workload> workload{};  // without the drive's blocks
  trace::Reading reading{};
  trace::Fit fit = trace::Fit::none;
  bool place_think_times = true;
  bool split_by_device = false;
  // All that changes the requests, but the file's bytes: what the study's file says of the trace,
  // without path and name.
  nlohmann::json told = nlohmann::json::object();
};

// One option with the values that it takes: a dimension of the product.
struct Dimension {
  std::string option{};
  std::vector<nlohmann::json> values{};
};

// A figure of the table's columns: y over x, a curve for each value of `series`, a panel for each
// of `panel`; several columns there count together.
struct PlotSpec {
  std::string x{}, y{}, title{};
  std::vector<std::string> series{}, panel{};
};

struct Study {
  std::string name{}, says{};
  std::string folder{};  // of its file, in which its paths begin
  std::vector<ModelSpec> models{};
  std::vector<TraceSpec> traces{};
  std::vector<Dimension> options{};
  std::vector<PlotSpec> plots{};
  model::ReadBudget budget{"study"};  // the file's; what its points ask for is counted with it
};

// A path of the study's file, from where the program runs.
std::string path_in(const Study& study, const std::string& given);

// Throws Error(bad_input) that names the file and the member that is wrong. Paths in it are
// relative to its folder.
Study read_study(const std::string& path);

}  // namespace platter::study

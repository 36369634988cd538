// The points of a study: the product of models, traces (and their devices) and options, each with
// the key of what its result depends on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "replay/model_run.h"
#include "replay/replay_model.h"
#include "study/study.h"
#include "study/trace_facts.h"

namespace platter::study {

// What a study's model is, and how it becomes something to replay on. The digest does not depend on
// how its JSON was written down.
struct ReplayedOn {
  replay::Subject subject{};
  // Of an array, which a replay on one model does not do; empty: that.
  std::function<replay::ModelRan(const replay::OpenTrace& open, const replay::ModelRun& run)> ran{};
};
struct Model {
  std::string digest{};
  // With the options that change it (options.h), a drive's result by its path and "digest". Throws
  // Error where none can be made of it.
  std::function<ReplayedOn(const nlohmann::json& options)> with{};
};
using LoadModel = std::function<Model(const ModelSpec&)>;

struct Point {
  std::size_t model = 0, trace = 0;  // of the study's lists
  std::string device{};              // "": the trace's only one
  // Every option that there is, by its name; shared by the points of one combination.
  std::shared_ptr<const nlohmann::json> options{};
  std::string key{};           // 64 hexadecimal digits
  std::uint64_t requests = 0;  // estimated where they were not counted
};

struct Points {
  std::vector<Model> models{};                   // as the study's, digests known
  std::map<std::string, std::string> results{};  // of drives: digests by the study's names
  std::vector<TraceFacts> traces{};              // as the study's
  std::vector<Point> points{};                   // models outermost, then traces, devices, options
};

// The identity of what computes: a result of another version is another point's.
struct Program {
  std::string version{};  // as platter --version says, with the commit where it is known
};

// Reads every model and looks at every trace, each only once (trace_facts.h). `counted`: also
// counts the requests of traces, for what is to be estimated from them. Throws Error(bad_input) for
// more points than the study's budget has, before anything is read.
Points points_of(const Study& study, const Program& program, const LoadModel& load,
                 const std::string& folder, bool counted);

// What is replayed on at this point.
ReplayedOn replayed_on(const Study& study, const Points& points, const Point& point);

// The document whose SHA-256 in canonical form (RFC 8785) is the point's key.
nlohmann::json identity_of(const Study& study, const Points& points, const Point& point,
                           const Program& program);

// Of one point on one core of a 2.5 GHz Xeon: so that parts become alike (plan.h).
double estimated_s(const Point& point);

}  // namespace platter::study

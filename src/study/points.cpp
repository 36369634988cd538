#include "study/points.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.h"
#include "model/interruption.h"
#include "registry/canonical_json.h"
#include "registry/digest.h"
#include "study/options.h"

namespace platter::study {
namespace {

using Json = nlohmann::json;

constexpr const char* kWith = "calibrate_with";

// Every combination of the dimensions' values, the last dimension's changing fastest; what a study
// does not say is as usual.
using Combinations = std::vector<std::shared_ptr<const Json>>;
Combinations combinations(const std::vector<Dimension>& dimensions) {
  std::vector<Json> all = {usual_options()};
  for (const Dimension& dimension : dimensions) {
    std::vector<Json> more;
    for (const Json& so_far : all)
      for (const Json& value : dimension.values) {
        more.push_back(so_far);
        more.back()[dimension.option] = value;
      }
    all = std::move(more);
  }
  Combinations shared;
  for (Json& each : all) shared.push_back(std::make_shared<const Json>(std::move(each)));
  return shared;
}

// `traces`: with the devices that they are split by, as far as those are known.
void count_points(const Study& study, std::uint64_t traces) {
  std::vector<model::Factor> factors = {{"models", study.models.size()}, {"traces", traces}};
  for (const Dimension& dimension : study.options)
    factors.push_back({"values of " + dimension.option, dimension.values.size()});
  model::ReadBudget(study.budget).take_product(model::Cost::points, factors);
}

std::vector<std::string> devices_of(const TraceFacts& facts) {
  std::vector<std::string> devices;
  for (const DeviceFacts& device : facts.devices) devices.push_back(device.name);
  if (devices.empty()) devices = {""};
  return devices;
}

std::uint64_t requests_of(const TraceSpec& trace, const TraceFacts& facts,
                          const std::string& device, const Json& options) {
  std::uint64_t requests = facts.requests;
  if (trace.workload)
    requests = trace.workload->requests.value_or(trace.workload->profile.requests);
  for (const DeviceFacts& one : facts.devices)
    if (one.name == device) requests = one.requests;
  const Json& limit = options.at("limit");
  return limit.is_null() ? requests : std::min(requests, limit.get<std::uint64_t>());
}

// What differs from the usual: -0 and 1.0 are the same number as 0 and 1. A file is what it holds.
Json told_options(const Json& all, const Points& points) {
  Json told = Json::object();
  for (const Option& option : options())
    if (all.at(option.name) != option.usual) told[option.name] = all.at(option.name);
  if (told.contains(kWith)) told[kWith] = points.results.at(told[kWith].get<std::string>());
  return told;
}

// What a member of the study is made of; where that fails, the sentence says which member it is.
template <class Make>
auto made_for(const std::string& where, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    let_interruptions_pass(error);
    const bool of_options = error.status() == ExitStatus::usage;
    throw Error(of_options ? ExitStatus::bad_input : error.status(),
                fmt::format("{}: {}", where, in_study_words(error.what())));
  }
}

}  // namespace

Json identity_of(const Study& study, const Points& points, const Point& point,
                 const Program& program) {
  Json trace = {{"told", study.traces[point.trace].told}};
  if (!study.traces[point.trace].workload) trace["digest"] = points.traces[point.trace].digest;
  if (!point.device.empty()) trace["device"] = point.device;
  const std::string version = model::text_of(model::version_of("platter-study-point"));
  return {{"schema", "platter-study-point " + version},
          {"program", program.version},
          {"model", points.models[point.model].digest},
          {"trace", trace},
          {"options", told_options(*point.options, points)}};
}

ReplayedOn replayed_on(const Study& study, const Points& points, const Point& point) {
  Json changes = options_of_model(*point.options);
  if (!changes.at(kWith).is_null()) {
    const std::string given = changes.at(kWith);
    changes[kWith] = path_in(study, given);
    changes["digest"] = points.results.at(given);
  }
  return points.models[point.model].with(changes);
}

Points points_of(const Study& study, const Program& program, const LoadModel& load,
                 const std::string& folder, bool counted) {
  count_points(study, study.traces.size());
  Points points;
  for (const ModelSpec& model : study.models)
    points.models.push_back(made_for(model.where, [&] { return load(model); }));
  for (const TraceSpec& trace : study.traces)
    points.traces.push_back(
        made_for(trace.where, [&] { return facts_of(trace, folder, counted); }));
  for (const Dimension& dimension : study.options)
    for (const Json& value : dimension.values)
      if (dimension.option == kWith && !value.is_null())
        points.results[value] = made_for(fmt::format("{}: \"{}\"", study.name, kWith), [&] {
          return registry::digest_of_file(path_in(study, value));
        });
  std::vector<std::vector<std::string>> devices;
  std::uint64_t traces = 0;
  for (const TraceFacts& facts : points.traces)
    traces += devices.emplace_back(devices_of(facts)).size();
  count_points(study, traces);
  const Combinations options = combinations(study.options);
  for (std::size_t model = 0; model < study.models.size(); ++model)
    for (std::size_t trace = 0; trace < study.traces.size(); ++trace)
      for (const std::string& device : devices[trace])
        for (const auto& combination : options) {
          Point point{.model = model, .trace = trace, .device = device, .options = combination};
          const Json identity = identity_of(study, points, point, program);
          point.key =
              registry::hex_of(registry::digest_of(registry::canonical_form(identity, study.name)));
          point.requests = requests_of(study.traces[trace], points.traces[trace], device,
                                       *combination);
          points.points.push_back(std::move(point));
        }
  return points;
}

double estimated_s(const Point& point) {
  // Of points of 100 requests 1.3 ms each; of 20,000 generated ones 0.8 us a request
  // (bench/study/kill.py), of a trace of volumes with queues of 16 1.2 us (bench/study/volumes.py).
  constexpr double kPoint_s = 0.001, kRequest_s = 1e-6;
  return kPoint_s + kRequest_s * static_cast<double>(point.requests);
}

}  // namespace platter::study

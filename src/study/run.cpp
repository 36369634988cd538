#include "study/run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "model/as_error.h"
#include "model/checked_line.h"
#include "model/error.h"
#include "model/folder.h"
#include "model/interruption.h"
#include "model/json_text.h"
#include "model/printable.h"
#include "replay/model_run.h"
#include "replay/result_json.h"
#include "study/locked_file.h"
#include "study/options.h"
#include "study/workers.h"

namespace platter::study {
namespace {

// What a point's file says.
using PointJson = nlohmann::ordered_json;

void add_result(PointJson& json, const replay::ModelRan& ran);  // run with told_shares()

template <class Value>
PointJson or_null(const std::optional<Value>& value) {
  return value ? PointJson(*value) : PointJson();
}

PointJson or_null(const std::string& text) { return text.empty() ? PointJson() : PointJson(text); }

// The shares whose quantiles are kept, ascending from 0 to 1: each half percent, and the tails.
const std::vector<double>& told_shares() {
  static const std::vector<double> kShares = [] {
    std::vector<double> shares = {0, 0.001};
    for (int half_percent = 1; half_percent < 200; ++half_percent)
      shares.push_back(half_percent / 200.0);
    for (const double tail : {0.999, 0.9999, 0.99999, 1.0}) shares.push_back(tail);
    return shares;
  }();
  return kShares;
}

PointJson point_head(const std::string& key, const nlohmann::json& identity) {
  PointJson json = model::json_head("platter-study-point");
  json["key"] = key;
  json["of"] = identity;
  return json;
}

void add_result(PointJson& json, const replay::ModelRan& ran) {
  const replay::Summary& summary = ran.summary;
  PointJson skipped = PointJson::array();
  for (const trace::Skipped& what : ran.skipped)
    if (what.kind != trace::Skipped::Kind::form)
      skipped.push_back({{"what", what.what}, {"count", what.count}});
  json["status"] = static_cast<int>(ExitStatus::ok);
  json["result"] = {{"requests", summary.all.n},
                    {"seconds", summary.seconds},
                    {"all", replay::times_json(summary.all)},
                    {"read", replay::times_json(summary.read)},
                    {"write", replay::times_json(summary.write)},
                    {"lateness",
                     {{"host", replay::delay_json(summary.lateness.host)},
                      {"depth", replay::delay_json(summary.lateness.depth)}}},
                    {"hits_share", or_null(summary.hits_share)},
                    {"outside_validity", ran.head.outside_validity},
                    {"depth", ran.head.depth},
                    {"scheduler", or_null(ran.head.scheduler)},
                    {"fit", or_null(ran.head.fit)},
                    {"think_in_front", ran.head.think_in_front},
                    {"skipped", skipped},
                    {"quantile_error", summary.quantile_error},
                    {"shares", told_shares()},
                    {"quantiles_ms", ran.quantiles_ms}};
}

void add_failure(PointJson& json, ExitStatus status, const std::string& sentence) {
  json["status"] = static_cast<int>(status);
  json["error"] = model::printable(sentence);
}

namespace fs = std::filesystem;

// A point that took less is computed again if a loss of power takes it away.
constexpr double kWorthAFlush_s = 0.1;

// Which file lies there, so that another one in its place is noticed; all zeros: none.
struct Seen {
  ino_t file = 0;
  timespec changed{};

  static Seen at(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return {};
    return {status.st_ino, status.st_mtim};
  }
  bool operator==(const Seen& other) const {
    return file == other.file && changed.tv_sec == other.changed.tv_sec &&
           changed.tv_nsec == other.changed.tv_nsec;
  }
};

struct Todo {
  std::size_t point = 0;
  Seen seen{};  // what lies there and is no result, or lacks its requests
};

double processor_s() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

std::string with_path_as_given(const std::string& sentence, const std::string& path,
                               const std::string& given) {
  if (path.empty() || path == given) return sentence;
  return model::replaced(sentence, path, given);
}

// What one process does with its points.
class Computer {
 public:
  Computer(const Study& study, const Points& points, const Program& program, const Store& store,
           const RunOptions& options)
      : study_(study), points_(points), program_(program), store_(store), options_(options) {}

  // nullopt: somebody else is at it.
  std::optional<Done> compute(const Todo& todo, bool wait) {
    const Point& point = points_.points[todo.point];
    const std::string path = store_.point_path(point.key);
    const auto claim = Claim::on(path, wait);
    if (!claim) return std::nullopt;
    if (!(Seen::at(path) == todo.seen)) return Done{.by_others = true};
    Done done;
    const double before_s = processor_s();
    PointJson json = replayed(point, done);
    done.replay_s = processor_s() - before_s;
    json["processor_s"] = done.replay_s;
    claim->commit(model::checked_file(model::json_text(json)), done.replay_s > kWorthAFlush_s);
    return done;
  }

 private:
  // Those of one model, as its options change it: they change fastest from point to point.
  const ReplayedOn& replayed_on_at(const Point& point) {
    if (loaded_ != point.model) ready_.clear();
    loaded_ = point.model;
    const std::string changes = model::json_text(options_of_model(*point.options));
    const auto known = ready_.find(changes);
    if (known != ready_.end()) return known->second;
    return ready_.emplace(changes, replayed_on(study_, points_, point)).first->second;
  }

  PointJson replayed(const Point& point, Done& done) {
    PointJson json = point_head(point.key, identity_of(study_, points_, point, program_));
    part_.clear();
    const TraceSpec& trace = study_.traces[point.trace];
    const ModelSpec& model = study_.models[point.model];
    const auto failed = [&](ExitStatus status, std::string sentence) {
      done.failed = true;
      sentence = without_part(point, in_study_words(sentence));
      add_failure(json, status,
                  with_path_as_given(with_path_as_given(sentence, trace.path, trace.given),
                                     model.source, model.given));
    };
    try {
      add_result(json, ran(point));
    } catch (const std::exception& thrown) {
      const Error error = model::as_error(thrown);
      let_interruptions_pass(error);
      if (error.status() == ExitStatus::output) throw;  // nothing more can be stored here
      const bool of_options = error.status() == ExitStatus::usage;  // the study's, not of ours
      failed(of_options ? ExitStatus::bad_input : error.status(), error.what());
    }
    return json;
  }

  // A device's requests that cannot be read are taken out of the trace anew by the next run.
  std::string without_part(const Point& point, const std::string& sentence) {
    if (part_.empty() || sentence.find(part_) == sentence.npos) return sentence;
    std::error_code is_gone;
    fs::remove(part_, is_gone);
    return with_path_as_given(
        sentence, part_,
        fmt::format("{}, device {}", study_.traces[point.trace].given, point.device));
  }

  replay::ModelRan ran(const Point& point) {
    const TraceSpec& trace = study_.traces[point.trace];
    const TraceFacts& facts = points_.traces[point.trace];
    if (!facts.fault.empty()) throw Error(ExitStatus::bad_input, facts.fault);
    const ReplayedOn& on = replayed_on_at(point);
    if (!point.device.empty())
      part_ = path_of_part(trace, facts, point.device, on.subject.block_bytes, store_.folder());
    replay::ModelRun run{.fit = trace.fit,
                         .place_think_times = trace.place_think_times,
                         .think_in_front = trace.reading.think_in_front,
                         .shares = told_shares()};
    for (const Option& option : options())
      if (option.set) option.set(point.options->at(option.name), run);
    if (options_.keep_results) run.output = prepared_output(point.key);
    const replay::OpenTrace open = [&] {
      return open_trace_of(trace, facts, point.device, on.subject, store_.folder());
    };
    replay::ModelRan ran = on.ran ? on.ran(open, run) : replay::run_on_model(on.subject, open, run);
    if (point.device.empty()) require_unchanged(trace, facts);
    return ran;
  }

  // Whoever was killed while it wrote this result left a file beside it.
  std::string prepared_output(const std::string& key) const {
    const fs::path path = store_.result_path(key);
    model::make_folder(path.parent_path());
    std::error_code is_gone;
    for (const fs::path& beside : model::paths_in(path.parent_path()))
      if (beside.filename().string().starts_with(path.filename().string() + "."))
        fs::remove(beside, is_gone);
    return path;
  }

  const Study& study_;
  const Points& points_;
  const Program& program_;
  const Store& store_;
  const RunOptions& options_;
  std::map<std::string, ReplayedOn> ready_{};
  std::size_t loaded_ = 0;
  std::string part_{};  // the file of the device that is replayed
};

// Traces of many devices that have a point to be computed are taken apart once for each block size
// of the models that get them.
void split_traces(const Study& study, const Points& points, std::span<const Todo> todo,
                  const Store& store) {
  std::set<std::pair<std::size_t, std::size_t>> needed;  // trace, model
  for (const Todo& each : todo) {
    const Point& point = points.points[each.point];
    if (!point.device.empty()) needed.emplace(point.trace, point.model);
  }
  std::set<std::pair<std::size_t, std::uint32_t>> split;
  for (const auto& [trace, model] : needed) {
    std::uint32_t block_bytes = 0;
    try {
      block_bytes =
          points.models[model].with(options_of_model(usual_options())).subject.block_bytes;
    } catch (const Error& error) {
      let_interruptions_pass(error);
      continue;  // its points will say so
    }
    if (split.emplace(trace, block_bytes).second)
      split_by_device(study.traces[trace], points.traces[trace], block_bytes, store.folder());
  }
}

}  // namespace

RunOutcome run_points(const Study& study, const Points& points, std::span<const std::size_t> which,
                      const Program& program, const Store& store, const RunOptions& options,
                      const TellBeginning& tell_beginning, const TellProgress& tell) {
  RunOutcome outcome;
  std::vector<Todo> todo;
  std::set<std::string> keys;  // two models may be one
  for (const std::size_t index : which) {
    const Point& point = points.points[index];
    if (!keys.insert(point.key).second) continue;
    const Seen seen = Seen::at(store.point_path(point.key));
    const bool has_requests = !options.keep_results ||
                              model::is_there(store.result_path(point.key));
    if (is_result(store.point(point.key)) && has_requests)
      ++outcome.found;
    else
      todo.push_back({index, seen});
  }
  if (todo.empty()) return outcome;
  std::vector<double> costs;
  for (const Todo& each : todo) costs.push_back(estimated_s(points.points[each.point]));
  tell_beginning(todo.size(), std::reduce(costs.begin(), costs.end()));
  split_traces(study, points, todo, store);
  const WorkersOutcome workers = run_workers(
      std::min<std::size_t>(options.jobs, todo.size()), costs,
      [&] {
        return [&, computer = std::make_shared<Computer>(study, points, program, store, options)](
                   std::size_t item, bool wait) { return computer->compute(todo[item], wait); };
      },
      tell);
  outcome.computed = workers.computed;
  outcome.failed = workers.failed;
  outcome.found += workers.by_others;
  outcome.replay_s = workers.replay_s;
  return outcome;
}

}  // namespace platter::study

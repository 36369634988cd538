#include "study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include "model/error.h"
#include "model/formats.h"
#include "model/json_members.h"
#include "model/json_text.h"
#include "model/text_file.h"
#include "model/units.h"
#include "registry/canonical_json.h"
#include "study/columns.h"
#include "study/options.h"
#include "trace/adjust.h"

namespace platter::study {
namespace {

using Json = nlohmann::json;

constexpr const char* kStudy = "platter-study";
constexpr std::string_view kFromRegistry = "registry:";

constexpr std::size_t kMostPlots = 64, kMostPlotColumns = 64;
// What canonical JSON, which keys are made of, carries unchanged.
constexpr std::uint64_t kMostWhole = std::uint64_t{1} << 53;

// 1e3 and 1000.0 are the whole number 1000 (RFC 8259, section 6).
void make_whole_numbers(Json& json) {
  if (json.is_structured()) {
    for (Json& part : json) make_whole_numbers(part);
    return;
  }
  if (!json.is_number_float()) return;
  const double value = json.get<double>();
  if (std::abs(value) > static_cast<double>(kMostWhole) || value != std::trunc(value)) return;
  if (value < 0)
    json = static_cast<std::int64_t>(value);
  else
    json = static_cast<std::uint64_t>(value);
}

// What stands in the study's file.
class Members : public model::JsonMembers<Json> {
 public:
  Members(const Json& object, std::string where)
      : JsonMembers(object, std::move(where), "docs/studies.md") {}

  std::string text(const char* name, const std::string& otherwise = {}) {
    if (!has(name)) return otherwise;
    if (!at(name).is_string()) fail(fmt::format("has a \"{}\" that is no text", name));
    return at(name).get<std::string>();
  }
  bool flag(const char* name) {
    if (!has(name)) return false;
    if (!at(name).is_boolean()) fail(fmt::format("has a \"{}\" that is not true or false", name));
    return at(name).get<bool>();
  }
  template <class Number>
  std::optional<Number> number(const char* name) {
    if (!has(name)) return std::nullopt;
    const Json& value = at(name);
    if constexpr (std::is_integral_v<Number>) {
      constexpr std::uint64_t kMost = std::min<std::uint64_t>(std::numeric_limits<Number>::max(),
                                                              kMostWhole);
      if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMost)
        fail(fmt::format("has the \"{}\" {}, which is no whole number from 0 to {}", name,
                         model::json_text(value), kMost));
    } else if (!value.is_number()) {
      fail(fmt::format("has a \"{}\" that is no number", name));
    }
    return value.get<Number>();
  }
  std::vector<std::string> texts(const char* name) {
    if (!has(name)) return {};
    const Json& value = at(name);
    std::vector<std::string> all;
    for (const Json& one : value.is_array() ? value : Json::array({value})) {
      if (!one.is_string()) fail(fmt::format("has a \"{}\" that is no text", name));
      all.push_back(one.get<std::string>());
    }
    return all;
  }
  void done() const {
    if (const auto name = unasked())
      fail(fmt::format("has a member \"{}\" that a study does not know", *name));
  }
};

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string beside(const std::filesystem::path& folder, const std::string& path) {
  const std::filesystem::path given(path);
  return given.is_absolute() || folder.empty() ? path : (folder / given).string();
}

std::string change_text(Members& of, const std::string& path, const Json& value) {
  if (value.is_string()) return path + "=" + value.get<std::string>();
  if (value.is_number_integer()) return path + "=" + model::json_text(value);
  if (value.is_number()) return fmt::format("{}={}", path, registry::ecmascript_number(value));
  of.fail(fmt::format("has a change of {} that is neither text nor number", path));
}

// As replay's options of arrays, with _ for -, sizes in KiB.
struct ArrayNumber {
  const char* name;
  const char* levels;
  double least, most;
  bool whole = true;
};
constexpr double kMostKib = 1 << 30;
constexpr ArrayNumber kArrayNumbers[] = {
    {"stripe_kb", "raid0 raid5", 1, kMostKib},
    {"stripe_cache", "raid5", 16, 32768},
    {"missing", "raid1 raid5", 0, 1024},
    {"rebuild", "raid1 raid5", 0, 1024},
    {"rebuild_window_kb", "raid1 raid5", 4, kMostKib},
    {"rebuild_least_kb", "raid1 raid5", 0, kMostKib},
    {"rebuild_most_kb", "raid1 raid5", 1, kMostKib},
    {"rebuild_tick_ms", "raid1 raid5", 0.1, 1000, false},
    {"merge_kb", "raid0 raid1 raid5", 4, kMostKib},
    {"phase_seed", "raid0 raid1 raid5", 0, static_cast<double>(kMostWhole)}};

void require_level(Members& members, const char* name, std::string_view levels,
                   const std::string& level) {
  if (levels.find(level) == levels.npos)
    members.fail(fmt::format("has a \"{}\", which is of {}, not of {}", name, levels, level));
}

Json plan_of(Members& members, const std::string& level) {
  Json plan = Json::object();
  for (const ArrayNumber& number : kArrayNumbers) {
    if (!members.has(number.name)) continue;
    const Json& value = members.at(number.name);
    const bool fits = number.whole ? value.is_number_unsigned() : value.is_number();
    if (!fits || value.get<double>() < number.least || value.get<double>() > number.most)
      members.fail(fmt::format("has the \"{}\" {}, which is no {}number from {} to {}", number.name,
                               model::json_text(value), number.whole ? "whole " : "", number.least,
                               number.most));
    require_level(members, number.name, number.levels, level);
    plan[number.name] = value;
  }
  if (members.has("read_balance")) {
    const std::string balance = members.text("read_balance");
    if (balance != "nearest" && balance != "least-pending")
      members.fail("has a \"read_balance\" that is none of nearest, least-pending");
    require_level(members, "read_balance", "raid1", level);
    plan["read_balance"] = balance;
  }
  return plan;
}

ModelSpec model_of(const Json& json, const std::string& where, const std::filesystem::path& folder);

ModelSpec array_of(Members& members, const std::string& where,
                   const std::filesystem::path& folder) {
  ModelSpec spec;
  spec.where = where;
  spec.array = members.text("array");
  if (spec.array != "raid0" && spec.array != "raid1" && spec.array != "raid5")
    members.fail("has an \"array\" that is none of raid0, raid1, raid5");
  spec.plan = plan_of(members, spec.array);
  const Json& all = members.at("members");
  if (!all.is_array() || all.empty()) members.fail("has \"members\" that are no list of models");
  model::ReadBudget(where).take(model::Cost::members, all.size());
  for (const Json& one : all) {
    spec.members.push_back(
        model_of(one, fmt::format("{}, member {}", where, spec.members.size()), folder));
    if (!spec.members.back().array.empty()) members.fail("has an array among its members");
  }
  std::set<std::string> names;
  for (const ModelSpec& member : spec.members) names.insert(member.name);
  std::string of;
  for (const std::string& name : names) of += (of.empty() ? "" : ", ") + name;
  spec.given = fmt::format("{} of {} x {}", spec.array, spec.members.size(), of);
  spec.name = members.text("name", spec.given);
  members.done();
  return spec;
}

ModelSpec model_of(const Json& json, const std::string& where,
                   const std::filesystem::path& folder) {
  const Json object = json.is_string() ? Json{{"file", json}} : json;
  Members members(object, where);
  if (members.has("array")) return array_of(members, where, folder);
  ModelSpec spec;
  spec.where = where;
  spec.given = members.text("file");
  if (spec.given.empty()) members.fail("names no \"file\"");
  const bool published = spec.given.starts_with(kFromRegistry);
  spec.source = published ? spec.given : beside(folder, spec.given);
  const std::string named = published ? spec.given.substr(kFromRegistry.size())
                                      : file_name(spec.given);
  spec.name = members.text("name", named);
  if (members.has("derive")) {
    if (!members.at("derive").is_object()) members.fail("has a \"derive\" that is no object");
    for (const auto& [path, value] : members.at("derive").items())
      spec.changes.push_back(change_text(members, path, value));
  }
  members.done();
  return spec;
}

const std::map<std::string, trace::Fit> kFits = {{"none", trace::Fit::none},
                                                 {"wrap", trace::Fit::wrap},
                                                 {"scale", trace::Fit::scale},
                                                 {"compact", trace::Fit::compact}};
const std::map<std::string, Nanoseconds> kTimeUnits = {
    {"s", kSecond}, {"ms", kMillisecond}, {"us", kMicrosecond}, {"ns", 1}};
const std::map<std::string, trace::Gap> kGapNames = {{"constant", trace::Gap::constant},
                                                     {"uniform", trace::Gap::uniform},
                                                     {"exponential", trace::Gap::exponential}};

template <class Value>
Value one_of_names(Members& members, const char* name, const std::map<std::string, Value>& names,
                   const Value& otherwise) {
  if (!members.has(name)) return otherwise;
  const auto found = names.find(members.text(name));
  if (found != names.end()) return found->second;
  std::string all;
  for (const auto& [word, value] : names) all += (all.empty() ? "" : ", ") + word;
  members.fail(fmt::format("has a \"{}\" that is none of {}", name, all));
}

// As platter trace generate's options, with _ for -.
trace::Workload workload_of(Members& members) {
  trace::Adjustment adjust;
  adjust.read_share = members.number<double>("read_share");
  if (members.has("request_kb"))
    adjust.request_kb = members.at("request_kb").is_string()
                            ? members.text("request_kb")
                            : registry::ecmascript_number(*members.number<double>("request_kb"));
  adjust.align_kb = members.number<double>("align_kb");
  adjust.sequential_share = members.number<double>("sequential_share");
  adjust.local_share = members.number<double>("local_share");
  adjust.local_blocks = members.number<std::uint64_t>("local_blocks");
  adjust.streams = members.number<std::uint32_t>("streams");
  adjust.any_stream = members.flag("any_stream");
  adjust.run_requests = members.number<std::uint64_t>("run_requests");
  adjust.stride_kb = members.number<double>("stride_kb");
  adjust.hot_share = members.number<double>("hot_share");
  adjust.hot_span = members.number<double>("hot_span");
  adjust.rate_hz = members.number<double>("rate");
  adjust.think_ms = members.number<double>("think_ms");
  if (members.has("gap"))
    adjust.gap = one_of_names(members, "gap", kGapNames, trace::Gap::constant);
  adjust.burst_requests = members.number<std::uint64_t>("burst_requests");
  adjust.burst_kb = members.number<double>("burst_kb");
  adjust.idle_ms = members.number<double>("idle_ms");
  trace::Workload workload;
  try {
    workload.profile = trace::adjusted(trace::profile(members.text("workload")), adjust);
  } catch (const Error& error) {
    members.fail(
        fmt::format("asks for a workload that cannot be made: {}", in_study_words(error.what())));
  }
  workload.requests = members.number<std::uint64_t>("requests");
  if (workload.requests == 0) members.fail("has a \"requests\" of 0; ask for 1 at least");
  workload.seed = members.number<std::uint64_t>("seed").value_or(1);
  workload.reads_only = members.flag("reads_only");
  return workload;
}

void read_from_file(Members& members, TraceSpec& spec) {
  try {
    spec.reading.format = trace::format_of(members.text("format"));
  } catch (const Error& error) {
    members.fail(fmt::format("has a \"format\": {}", error.what()));
  }
  spec.reading.device = members.text("device");
  spec.reading.columns = members.text("csv_columns");
  spec.reading.round = members.flag("round");
  spec.reading.reorder = members.number<std::uint32_t>("reorder").value_or(0);
  spec.reading.queued = members.flag("queued");
  spec.reading.time_unit_ns = one_of_names(members, "time_unit", kTimeUnits, Nanoseconds{0});
  const std::map<std::string, bool> kPlaces = {{"behind", false}, {"in-front", true}};
  spec.place_think_times = !members.has("think_times");
  spec.reading.think_in_front = one_of_names(members, "think_times", kPlaces, false);
  spec.fit = one_of_names(members, "fit", kFits, trace::Fit::none);
  if (!members.has("split_by")) return;
  if (members.text("split_by") != "device") members.fail("has a \"split_by\" other than device");
  spec.split_by_device = true;
  if (!spec.reading.device.empty()) members.fail("has both \"split_by\" and \"device\"");
}

TraceSpec trace_of(const Json& json, const std::string& where,
                   const std::filesystem::path& folder) {
  const Json object = json.is_string() ? Json{{"file", json}} : json;
  Members members(object, where);
  TraceSpec spec;
  spec.where = where;
  spec.given = members.text("file");
  if (members.has("workload") == !spec.given.empty())
    members.fail("names neither or both of \"file\" and \"workload\"");
  if (spec.given.empty()) {
    spec.workload = workload_of(members);
    spec.name = spec.given = members.text("workload");
    if (spec.workload->seed != 1) spec.name += fmt::format(" {}", spec.workload->seed);
  } else {
    spec.path = beside(folder, spec.given);
    spec.name = file_name(spec.given);
    read_from_file(members, spec);
  }
  spec.name = members.text("name", spec.name);
  members.done();
  spec.told = object;
  for (const char* const name : {"file", "name", "split_by"}) spec.told.erase(name);
  return spec;
}

std::vector<Dimension> dimensions_of(const Json& json, const std::string& where) {
  Members members(json, where);
  std::vector<Dimension> dimensions;
  for (const Option& option : options()) {
    if (!members.has(option.name)) continue;
    const Json& given = members.at(option.name);
    Dimension dimension{
        option.name, given.is_array() ? given.get<std::vector<Json>>() : std::vector<Json>{given}};
    if (dimension.values.empty()) members.fail(fmt::format("has no \"{}\" at all", option.name));
    std::set<Json> different;
    for (const Json& value : dimension.values) {
      if (!option.takes(value))
        members.fail(fmt::format("has the \"{}\" {}, which is not {}", option.name,
                                 model::json_text(value), option.what));
      if (!different.insert(value).second)
        members.fail(fmt::format("has the \"{}\" {} twice", option.name, model::json_text(value)));
    }
    dimensions.push_back(std::move(dimension));
  }
  members.done();
  const auto values = [&](const char* name) -> std::vector<Json> {
    for (const Dimension& dimension : dimensions)
      if (dimension.option == name) return dimension.values;
    return {Json()};
  };
  const auto is_some = [](const Json& value) { return !value.is_null() && value != 0; };
  const std::vector<Json> schedulers = values("scheduler"), ageings = values("ageing");
  if (std::any_of(ageings.begin(), ageings.end(), is_some) &&
      std::any_of(schedulers.begin(), schedulers.end(),
                  [](const Json& value) { return value.is_null(); }))
    members.fail("has an \"ageing\", which is of a given \"scheduler\"; name the schedulers");
  const std::vector<Json> groups = values("calibrate_only"), results = values("calibrate_with");
  const auto is_null = [](const Json& value) { return value.is_null(); };
  if (!std::all_of(groups.begin(), groups.end(), is_null) &&
      std::any_of(results.begin(), results.end(), is_null))
    members.fail(
        "has a \"calibrate_only\", which is of a given \"calibrate_with\"; name the drive's "
        "results");
  return dimensions;
}

PlotSpec plot_of_json(const Json& json, const std::string& where) {
  Members members(json, where);
  PlotSpec plot{members.text("x"), members.text("y"), members.text("title"),
                members.texts("series"), members.texts("panel")};
  members.done();
  std::vector<std::string> columns = {plot.x, plot.y};
  columns.insert(columns.end(), plot.series.begin(), plot.series.end());
  columns.insert(columns.end(), plot.panel.begin(), plot.panel.end());
  for (const std::string& column : columns)
    if (!has_column(column))
      members.fail(fmt::format("draws \"{}\", which is no column of the table", column));
  if (columns.size() > kMostPlotColumns)
    members.fail(fmt::format("draws {} columns, and {} are the most; leave some out",
                             columns.size(), kMostPlotColumns));
  return plot;
}

template <class Spec>
void require_names_apart(const std::vector<Spec>& specs, const char* what,
                         const std::string& origin) {
  std::set<std::string> names;
  for (const Spec& spec : specs) {
    if (std::any_of(spec.name.begin(), spec.name.end(),
                    [](unsigned char c) { return c < ' ' || c == 0x7f; }))
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: one of its {} has a name with a line end or another control "
                              "character, which not every reader of the table takes; give it a "
                              "\"name\"",
                              origin, what));
    if (!names.insert(spec.name).second)
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: two {} are called {}; give one a \"name\" of its own", origin,
                              what, spec.name));
  }
}

const Json& list_of(Members& members, const char* name) {
  const Json& list = members.at(name);
  if (!list.is_array() || list.empty())
    members.fail(fmt::format("has a \"{}\" that is no list of at least one", name));
  return list;
}

// A study is a question: what is not understood of a newer one is not passed over.
void require_known_version(const Json& json, const Members& members) {
  const model::FormatVersion own = model::version_of(kStudy);
  const auto version = model::version_in(nlohmann::ordered_json(json), kStudy);
  if (!version || version->major != own.major)
    members.fail(fmt::format(R"(is no study: it needs "schema": {{"name": "{}", "version": "{}"}})",
                             kStudy, model::text_of(own)));
  if (*version > own)
    members.fail(
        fmt::format("is a study of version {}, newer than this platter's {}, which would "
                    "compute something else than it asks for; take a platter of its time",
                    model::text_of(*version), model::text_of(own)));
}

void count_files(Study& study) {
  study.budget.take(model::Cost::files, study.models.size());
  study.budget.take(model::Cost::files, study.traces.size());
  for (const ModelSpec& model : study.models)
    study.budget.take(model::Cost::files, model.members.size());
}

}  // namespace

std::string path_in(const Study& study, const std::string& given) {
  return beside(study.folder, given);
}

Study read_study(const std::string& path) {
  Json json = registry::parse_i_json(model::read_text(path), path);
  make_whole_numbers(json);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  Members members(json, path + ":");
  members.has("schema");
  require_known_version(json, members);
  Study study{.name = members.text("name", std::filesystem::path(path).stem().string()),
              .says = members.text("says"),
              .folder = folder.string(),
              .budget = model::ReadBudget(path)};
  for (const Json& one : list_of(members, "models"))
    study.models.push_back(
        model_of(one, fmt::format("{}: model {}", path, study.models.size() + 1), folder));
  for (const Json& one : list_of(members, "traces"))
    study.traces.push_back(
        trace_of(one, fmt::format("{}: trace {}", path, study.traces.size() + 1), folder));
  if (members.has("options"))
    study.options = dimensions_of(members.at("options"), path + ": \"options\"");
  if (members.has("plots"))
    for (const Json& one : list_of(members, "plots")) {
      if (study.plots.size() == kMostPlots)
        members.fail(fmt::format("has more than {} \"plots\"; divide them among several studies",
                                 kMostPlots));
      study.plots.push_back(
          plot_of_json(one, fmt::format("{}: plot {}", path, study.plots.size() + 1)));
    }
  members.done();
  require_names_apart(study.models, "models", path);
  require_names_apart(study.traces, "traces", path);
  count_files(study);
  return study;
}

}  // namespace platter::study

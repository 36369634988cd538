#include "jobs/study_models.h"

#include <fmt/core.h>

#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "array/replay_array.h"
#include "calibrate/calibrate.h"
#include "emit/disksim/import.h"
#include "emit/table/table.h"
#include "jobs/calibration.h"
#include "jobs/replay.h"
#include "jobs/subject.h"
#include "model/completeness.h"
#include "model/derive.h"
#include "model/error.h"
#include "model/file.h"
#include "model/interruption.h"
#include "model/json.h"
#include "model/read_budget.h"
#include "registry/canonical_json.h"
#include "registry/digest.h"
#include "registry/pull.h"
#include "replay/replay_model.h"
#include "replay/result.h"
#include "study/locked_file.h"
#include "study/options.h"

namespace platter::jobs {
namespace {

// An array of models as one model of a study.
array::ArrayPlan plan_of(const study::ModelSpec& spec) {
  ArrayOptions options;
  options.level = spec.array;
  const auto take = [&](const char* name, auto& value) {
    if (spec.plan.contains(name)) spec.plan.at(name).get_to(value);
  };
  const auto take_member = [&](const char* name, std::optional<std::uint32_t>& value) {
    if (spec.plan.contains(name)) value = spec.plan.at(name).get<std::uint32_t>();
  };
  take("stripe_kb", options.stripe_kib);
  take("read_balance", options.balance);
  take("stripe_cache", options.stripes);
  take_member("missing", options.missing);
  take_member("rebuild", options.rebuild);
  take("rebuild_window_kb", options.window_kib);
  take("rebuild_least_kb", options.least_kib_per_s);
  take("rebuild_most_kb", options.most_kib_per_s);
  take("rebuild_tick_ms", options.tick_ms);
  take("merge_kb", options.merge_kib);
  take("phase_seed", options.phase_seed);
  return options.plan();
}

// Of these members, as platter replay --array. Throws Error(usage) for an array that cannot be.
study::ReplayedOn array_of(const study::ModelSpec& spec, std::vector<replay::Subject> members) {
  const auto array = std::make_shared<const array::PlannedArray>(
      array::planned(plan_of(spec), std::move(members)));
  return {array->subject, [array](const replay::OpenTrace& open, const replay::ModelRun& run) {
            if (run.how.host_queue)
              throw Error(ExitStatus::bad_input,
                          "--host-queue stands in front of one model, not of an array; leave one "
                          "of them out");
            return array::run_on_array(*array, open, run);
          }};
}

constexpr std::string_view kFromRegistry = "registry:";

model::DriveModel derived(const model::DriveModel& from, const std::string& source,
                          const std::vector<std::string>& texts) {
  std::vector<model::Change> changes;
  for (const std::string& text : texts) changes.push_back(model::parse_change(text));
  model::require_what_predicts(from, source, "be the source of another drive");
  return model::derive(from, std::filesystem::path(source).filename().string(), changes);
}

// The model's JSON, whatever it comes from.
std::string text_of(const std::string& source, const RegistryFolder& folder) {
  if (source.starts_with(kFromRegistry))
    return registry::open(registry::find(folder.store(), source.substr(kFromRegistry.size()),
                                         registry::Naming::whole))
        .model_text;
  if (is_disksim_file(source))
    return model::to_json_text(emit_disksim::import_disksim(source).model);
  return model::read_file(source);
}

study::Model table_of(const study::ModelSpec& spec) {
  const auto refuse = [source = spec.source] {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: is a table, of which nothing can be derived or calibrated; give "
                            "its model",
                            source));
  };
  if (!spec.changes.empty()) refuse();
  return {registry::digest_of_file(spec.source),
          [source = spec.source, refuse](const nlohmann::json& options) {
            if (options != study::options_of_model(study::usual_options())) refuse();
            return study::ReplayedOn{load_subject(source).subject};
          }};
}

// Apart by commas.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream all(text);
  for (std::string word; std::getline(all, word, ',');) words.push_back(word);
  return words;
}

// What it does not know of it is in no point: a later platter's points have other keys.
model::DriveModel read_model(const std::string& text, const std::string& source) {
  model::DriveModel model = model::from_json_text(text, source);
  model::say_passed_over(model.passed_over);
  return model;
}

// As sha256sum writes it, so that a model that was damaged since is no model.
std::string sum_of(const std::string& text, const std::string& key) {
  return fmt::format("{}  {}.json\n", registry::hex_of(registry::digest_of(text)), key);
}

// Kept under the digest of what it is made of: a search takes longer than many replays. It is
// not bounded.
std::string calibrated(const std::string& text, const std::string& source,
                       const nlohmann::json& options, const StudyPlace& place) {
  const nlohmann::json identity = {
      {"schema", "platter-study-calibration 1.0"},
      {"program", place.program},
      {"model", registry::digest_of(registry::canonical_json(text, source))},
      {"result", options.at("digest")},
      {"only", options.at("calibrate_only")}};
  const std::string key(
      registry::hex_of(registry::digest_of(registry::canonical_form(identity, source))));
  const std::string path = place.results + "/models/" + key + ".json", sum = path + ".sha256";
  const auto claim = study::Claim::on(path, true);
  if (model::is_file(path) && model::is_file(sum))
    if (std::string kept = model::read_file(path); sum_of(kept, key) == model::read_file(sum))
      return kept;
  const std::string result = options.at("calibrate_with");
  const calibrate::Measurement measured = halved(replay::load_result(result), true);
  if (nlohmann::json(registry::digest_of_file(result)) != options.at("digest"))
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: changed while the study ran; run it again", result));
  calibrate::Options how;
  if (const nlohmann::json& only = options.at("calibrate_only"); !only.is_null())
    how.groups = groups_named(words_of(only));
  how.most_replayed = std::numeric_limits<std::uint64_t>::max();
  const std::string made =
      model::known_json_text(calibrate::calibrate(read_model(text, source), measured, how).model);
  claim->commit(made, true);
  study::Claim::on(sum, true)->commit(sum_of(made, key), true);
  return made;
}

// As a study's options change it: first calibrated, then derived.
model::DriveModel as_the_study_wants(std::string text, const std::string& source,
                                     const nlohmann::json& options, const StudyPlace& place) {
  if (!options.at("calibrate_with").is_null()) text = calibrated(text, source, options, place);
  const model::DriveModel model = read_model(text, source);
  std::vector<std::string> changes;
  if (const nlohmann::json& derive = options.at("derive"); !derive.is_null())
    changes = study::changes_in(derive);
  if (options.at("read_ahead") == nlohmann::json("off")) changes.push_back("cache.read_ahead=0");
  return changes.empty() ? model : derived(model, source, changes);
}

// Each file and each derivation of it once, however often the study names it; the texts of what it
// derives are counted with its budget.
class Loader {
 public:
  Loader(const RegistryFolder& folder, StudyPlace place)
      : folder_(folder), place_(std::move(place)), budget_(place_.study) {}

  study::Model load(const study::ModelSpec& spec) {
    return spec.array.empty() ? load_one(spec) : load_array(spec);
  }

 private:
  using Text = std::shared_ptr<const std::string>;

  study::Model load_one(const study::ModelSpec& spec) {
    std::vector<std::string> key = spec.changes;
    key.push_back(spec.source);
    auto known = models_.find(key);
    if (known == models_.end()) known = models_.emplace(std::move(key), made(spec)).first;
    return known->second;
  }

  study::Model made(const study::ModelSpec& spec) {
    stop_if_asked();
    if (emit_table::is_table_file(spec.source)) return table_of(spec);
    Text& source = texts_[spec.source];
    if (!source) source = std::make_shared<const std::string>(text_of(spec.source, folder_));
    if (spec.changes.empty()) return model_of(source, spec.source);
    const auto text = std::make_shared<const std::string>(model::known_json_text(
        derived(read_model(*source, spec.source), spec.source, spec.changes)));
    budget_.take(model::Cost::bytes, text->size());
    return model_of(text, spec.source);
  }

  study::Model model_of(const Text& text, const std::string& source) const {
    return {registry::digest_of(registry::canonical_json(*text, source)),
            [text, source, place = place_](const nlohmann::json& options) {
              const model::DriveModel model = as_the_study_wants(*text, source, options, place);
              model::require_what_predicts(model, source, "be replayed on");
              return study::ReplayedOn{replay::subject_of(model)};
            }};
  }

  study::Model load_array(const study::ModelSpec& spec) {
    std::vector<study::Model> members;
    nlohmann::json digests = nlohmann::json::array();
    for (const study::ModelSpec& member : spec.members) {
      members.push_back(load_one(member));
      digests.push_back(members.back().digest);
    }
    const nlohmann::json identity = {
        {"array", spec.array}, {"plan", spec.plan}, {"members", digests}};
    return {registry::digest_of(registry::canonical_form(identity, spec.where)),
            [spec, members](const nlohmann::json& options) {
              std::map<std::string, replay::Subject> known;  // members of one model share it
              std::vector<replay::Subject> subjects;
              for (const study::Model& member : members) {
                auto at = known.find(member.digest);
                if (at == known.end())
                  at = known.emplace(member.digest, member.with(options).subject).first;
                subjects.push_back(at->second);
              }
              return array_of(spec, std::move(subjects));
            }};
  }

  const RegistryFolder& folder_;
  StudyPlace place_;
  model::ReadBudget budget_;
  std::map<std::string, Text> texts_{};  // by source
  std::map<std::vector<std::string>, study::Model> models_{};
};

}  // namespace

study::LoadModel study_models(const RegistryFolder& folder, const StudyPlace& place) {
  return [loader = std::make_shared<Loader>(folder, place)](const study::ModelSpec& spec) {
    return loader->load(spec);
  };
}

}  // namespace platter::jobs

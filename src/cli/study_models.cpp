#include "cli/study_models.h"

#include <fmt/core.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "cli/subject.h"
#include "emit/disksim/import.h"
#include "emit/table/table.h"
#include "model/completeness.h"
#include "model/derive.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "registry/canonical_json.h"
#include "registry/digest.h"
#include "registry/pull.h"

namespace platter::cli {
namespace {

constexpr std::string_view kFromRegistry = "registry:";

model::DriveModel derived(const model::DriveModel& from, const study::ModelSpec& spec) {
  std::vector<model::Change> changes;
  for (const std::string& text : spec.changes) changes.push_back(model::parse_change(text));
  model::require_what_predicts(from, spec.source, "be the source of another drive");
  return model::derive(from, std::filesystem::path(spec.source).filename().string(), changes);
}

// The model's JSON, whatever it comes from.
std::string text_of(const std::string& source, const RegistryFolder& folder) {
  if (source.starts_with(kFromRegistry))
    return registry::open(registry::find(folder.store(), source.substr(kFromRegistry.size())))
        .model_text;
  if (is_disksim_file(source))
    return model::to_json_text(emit_disksim::import_disksim(source).model);
  return model::read_file(source);
}

study::Model table_of(const study::ModelSpec& spec) {
  if (!spec.changes.empty())
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: is a table, of which nothing can be derived; give its model",
                            spec.source));
  return {registry::digest_of_file(spec.source),
          [source = spec.source] { return load_subject(source).subject; }};
}

study::Model loaded(const study::ModelSpec& spec, const RegistryFolder& folder) {
  if (emit_table::is_table_file(spec.source)) return table_of(spec);
  std::string text = text_of(spec.source, folder);
  if (!spec.changes.empty())
    text = model::to_json_text(derived(model::from_json_text(text, spec.source), spec));
  return {registry::digest_of(registry::canonical_json(text, spec.source)),
          [text, source = spec.source] {
            const model::DriveModel model = model::from_json_text(text, source);
            model::require_what_predicts(model, source, "be replayed on");
            return replay::subject_of(model);
          }};
}

}  // namespace

study::LoadModel study_models(const RegistryFolder& folder) {
  return [&folder](const study::ModelSpec& spec) { return loaded(spec, folder); };
}

}  // namespace platter::cli

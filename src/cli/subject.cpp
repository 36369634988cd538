#include "cli/subject.h"

#include <filesystem>

#include "emit/disksim/import.h"
#include "emit/table/table.h"
#include "model/completeness.h"
#include "model/json.h"
#include "model/standing.h"

namespace platter::cli {
namespace {

bool is_disksim_file(const std::string& path) {
  return path.ends_with(".parv") || path.ends_with(".diskspecs");
}

}  // namespace

LoadedSubject load_subject(const std::string& path) {
  if (emit_table::is_table_file(path)) {
    const emit_table::Table table = emit_table::load_table(path);
    replay::Subject subject = replay::subject_of(table.identity, table.tables);
    subject.name = model::with_standing(subject.name, table.provenance, table.validity) + " (table)";
    return {std::nullopt, std::move(subject)};
  }
  if (is_disksim_file(path)) {
    replay::Subject subject = replay::subject_of(emit_disksim::import_disksim(path).model);
    subject.name += " (DiskSim files)";
    return {std::nullopt, std::move(subject)};
  }
  model::DriveModel model = model::load_model(path);
  model::require_what_predicts(model, path, "be replayed on");
  replay::Subject subject = replay::subject_of(model);
  return {std::move(model), std::move(subject)};
}

std::string subject_file_name(const std::string& path) {
  const std::filesystem::path name = std::filesystem::path(path).filename();
  return (name.extension() == ".json" ? name.stem() : name).string();
}

}  // namespace platter::cli

#include "jobs/subject.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <utility>

#include "emit/disksim/import.h"
#include "emit/table/table.h"
#include "model/claims.h"
#include "model/completeness.h"
#include "model/json.h"

namespace platter::jobs {

bool is_disksim_file(const std::string& path) {
  return path.ends_with(".parv") || path.ends_with(".diskspecs");
}

LoadedSubject load_subject(const std::string& path) {
  if (emit_table::is_table_file(path)) {
    model::note_input(path);
    const emit_table::Table table = emit_table::load_table(path);
    replay::Subject subject = replay::subject_of(table.identity, table.tables);
    subject.name = model::with_standing(subject.name, table.provenance, table.validity) +
                   " (table)";
    subject.stand_ins = table.stand_ins;
    return {std::nullopt, std::move(subject)};
  }
  if (is_disksim_file(path)) {
    replay::Subject subject = replay::subject_of(emit_disksim::import_disksim(path).model);
    subject.name += " (DiskSim files, read back)";
    return {std::nullopt, std::move(subject)};
  }
  model::DriveModel model = model::load_model(path);
  model::require_what_predicts(model, path, "be replayed on");
  replay::Subject subject = replay::subject_of(model);
  return {std::move(model), std::move(subject)};
}

std::vector<std::string> subject_file_names(const std::vector<std::string>& paths) {
  std::set<std::string> taken{"drive"};
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    const std::filesystem::path file = std::filesystem::path(path).filename();
    const std::string whole = file.string();
    std::string name = file.extension() == ".json" ? file.stem().string() : whole;
    if (taken.contains(name)) name = whole;  // drive.json is not `drive`
    for (int number = 2; !taken.insert(name).second; ++number)
      name = fmt::format("{}-{}", whole, number);
    names.push_back(name);
  }
  return names;
}

}  // namespace platter::jobs

#include "cli/emulated_drives.h"

#include <utility>

#include "cli/subject.h"
#include "emit/disksim/import.h"
#include "model/claims.h"
#include "model/completeness.h"
#include "model/json.h"

namespace platter::cli {
namespace {

model::DriveModel predicting_model(const std::string& path) {
  if (is_disksim_file(path)) return emit_disksim::import_disksim(path).model;
  model::DriveModel model = model::load_model(path);
  model::require_what_predicts(model, path, "be emulated");
  return model;
}

EmulatedDrive emulated_drive(const std::string& path, const std::string& name) {
  if (emit_table::is_table_file(path)) {
    model::note_input(path);
    return {path, name, {}, emit_table::load_table(path)};
  }
  std::string bytes = emit_table::compile_table(predicting_model(path));
  emit_table::Table table = emit_table::copy_table(bytes, path);
  return {path, name, std::move(bytes), std::move(table)};
}

}  // namespace

std::vector<EmulatedDrive> emulated_drives(const std::vector<std::string>& paths) {
  const std::vector<std::string> names = subject_file_names(paths);
  std::vector<EmulatedDrive> drives;
  for (std::size_t i = 0; i < paths.size(); ++i)
    drives.push_back(emulated_drive(paths[i], names[i]));
  return drives;
}

std::vector<emulator::LoggedDrive> logged_drives(const std::vector<EmulatedDrive>& drives) {
  std::vector<emulator::LoggedDrive> logged;
  for (const EmulatedDrive& drive : drives)
    logged.push_back({drive.table.model_sha256, drive.table.identity.blocks, drive.table.tables});
  return logged;
}

}  // namespace platter::cli

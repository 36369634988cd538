#include "jobs/emulated_drives.h"

#include <fmt/format.h>

#include <fstream>
#include <string_view>
#include <utility>

#include "emit/disksim/import.h"
#include "emulator/pace/drive_report.h"
#include "episodes/read.h"
#include "jobs/subject.h"
#include "model/claims.h"
#include "model/completeness.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "model/say.h"
#include "virtual_drive/open.h"

namespace platter::jobs {
namespace {

constexpr std::string_view kVirtual = "virtual:";

model::DriveModel predicting_model(const std::string& path) {
  if (path.starts_with(kVirtual)) return virtual_drive::virtual_model(path);
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
  model::DriveModel model = predicting_model(path);
  std::string bytes = emit_table::compile_table(model);
  emit_table::Table table = emit_table::read_table(std::as_bytes(std::span(bytes)), path);
  return {path, name, std::move(bytes), std::move(table), std::move(model)};
}

std::vector<emulator::LoggedDrive> logged_drives(const std::vector<EmulatedDrive>& drives) {
  std::vector<emulator::LoggedDrive> logged;
  for (const EmulatedDrive& drive : drives)
    logged.push_back({drive.table.model_sha256, drive.table.identity.blocks, drive.table.tables,
                      drive.model, drive.episodes});
  return logged;
}

}  // namespace

std::vector<EmulatedDrive> emulated_drives(const std::vector<std::string>& paths) {
  std::vector<std::string> files = paths;
  for (std::string& file : files)
    if (file.starts_with(kVirtual)) file.erase(0, kVirtual.size());
  const std::vector<std::string> names = subject_file_names(files);
  std::vector<EmulatedDrive> drives;
  for (std::size_t i = 0; i < paths.size(); ++i)
    drives.push_back(emulated_drive(paths[i], names[i]));
  return drives;
}

void add_episodes(std::vector<EmulatedDrive>& drives, const std::vector<std::string>& files) {
  if (files.empty()) return;
  if (files.size() != 1 && files.size() != drives.size())
    throw Error(
        ExitStatus::usage,
        fmt::format("{} models and {} files of episodes; give one for all, or one for each, "
                    "in that order",
                    drives.size(), files.size()));
  for (std::size_t i = 0; i < drives.size(); ++i) {
    EmulatedDrive& drive = drives[i];
    const std::string& file = files[files.size() == 1 ? 0 : i];
    drive.episodes_text = model::read_file(file);
    drive.episodes = std::make_shared<const episodes::Schedule>(
        episodes::read_schedule(drive.episodes_text, file));
  }
}

void tell_standing(const std::vector<EmulatedDrive>& drives) {
  for (const EmulatedDrive& drive : drives)
    if (const std::string standing = model::standing_of(drive.table.provenance,
                                                        drive.table.validity);
        !standing.empty())
      model::say("platter: the model of {} is {}\n", drive.name, standing);
}

std::vector<emulator::DriveOfSet> scsi_drives(const std::vector<EmulatedDrive>& drives,
                                              const std::vector<emulator::ContentsChoice>& contents,
                                              bool write_cache_loss) {
  constexpr std::size_t kMostTargets = 256;
  if (drives.size() > kMostTargets)
    throw Error(ExitStatus::usage,
                fmt::format("{} models, and a SCSI host has {} targets; give it fewer",
                            drives.size(), kMostTargets));
  std::vector<emulator::DriveOfSet> set;
  for (std::size_t i = 0; i < drives.size(); ++i) {
    const EmulatedDrive& drive = drives[i];
    if (!drive.model)
      throw Error(ExitStatus::bad_input,
                  drive.path +
                      " is a table, which does not tell what the drive answers to SCSI "
                      "commands; give the model that it was made of");
    set.push_back({{drive.name, *drive.model, drive.table.model_sha256, drive.episodes},
                   contents.empty() ? emulator::ContentsChoice{} : contents[i],
                   write_cache_loss});
  }
  return set;
}

emulator::CheckedLog checked_log(const std::string& path,
                                 const std::vector<EmulatedDrive>& drives) {
  std::ifstream log(path);
  if (!log)
    throw Error(ExitStatus::bad_input, path + " cannot be read; give the log of an emulation");
  return emulator::check_log(log, path, logged_drives(drives));
}

void require_no_difference(const emulator::CheckedLog& checked) {
  if (checked.differ != 0)
    throw Error(ExitStatus::differs,
                checked.first_difference + "; this is a defect of the emulator, please report it");
}

std::string against_its_drive(const EmulatedDrive& drive) {
  if (drive.table.provenance.method == model::kDerivedMethod)
    return emulator::of_hypothetical_drive();
  const auto& demerits = drive.table.validity.demerits;
  if (demerits.empty()) return emulator::of_model_not_compared();
  const model::Demerit& first = demerits.front();
  return emulator::of_demerit(first.demerit_ms, first.demerit_percent, first.requests,
                              first.workload);
}

}  // namespace platter::jobs

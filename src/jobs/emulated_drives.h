// The models of `platter emulate`, as the tables that an emulator opens.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emit/table/table.h"
#include "emulator/check/check_log.h"
#include "emulator/scsi/drive_set.h"
#include "episodes/schedule.h"
#include "model/drive_model.h"

namespace platter::jobs {

struct EmulatedDrive {
  std::string path;   // as it was given
  std::string name;   // of its own among the drives
  std::string bytes;  // of the table; empty: `path` is one
  emit_table::Table table;
  std::optional<model::DriveModel> model{};              // nothing: `path` is a table
  std::shared_ptr<const episodes::Schedule> episodes{};  // null: none
  std::string episodes_text{};                           // of their file
};

// Of model files, tables, DiskSim files, and virtual drives ("virtual:..."). Throws
// Error(bad_input) for what is none of these, and for a model that lacks what predicts a request;
// Error(no_device, usage) for a virtual drive that there is not.
std::vector<EmulatedDrive> emulated_drives(const std::vector<std::string>& paths);

// Files of episodes for them: none, one for all, or one for each. Throws Error(usage, bad_input).
void add_episodes(std::vector<EmulatedDrive>& drives, const std::vector<std::string>& files);

// What is known of the model, in a sentence's part.
std::string against_its_drive(const EmulatedDrive& drive);

// Says of each whose model is not as it should be what it lacks.
void tell_standing(const std::vector<EmulatedDrive>& drives);

// As targets of one SCSI host, with their contents: none, or one for each. Throws Error(bad_input)
// for a table, which does not tell what a drive answers; Error(usage) for more than a host has.
std::vector<emulator::DriveOfSet> scsi_drives(const std::vector<EmulatedDrive>& drives,
                                              const std::vector<emulator::ContentsChoice>& contents,
                                              bool write_cache_loss);

// The log of an emulation of these drives, held against the engine. Throws Error(bad_input).
emulator::CheckedLog checked_log(const std::string& path, const std::vector<EmulatedDrive>& drives);
// Throws Error(differs).
void require_no_difference(const emulator::CheckedLog& checked);

}  // namespace platter::jobs

#include "jobs/block_drives.h"

#include <fmt/format.h>

#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/printable.h"

namespace platter::jobs {
namespace {

// Where a table is not a file yet, it becomes one.
std::string table_file(const EmulatedDrive& drive, std::size_t number,
                       model::TemporaryFolder& folder) {
  if (drive.bytes.empty()) return model::absolute_path(drive.path);
  const std::string path = folder.file(fmt::format("{}.ptab", number));
  model::write_file(path, drive.bytes);
  return path;
}

// As they were read here, whatever becomes of their file.
std::string episodes_file(const EmulatedDrive& drive, std::size_t number,
                          model::TemporaryFolder& folder) {
  std::string path = folder.file(fmt::format("{}.episodes.json", number));
  model::write_file(path, drive.episodes_text);
  return path;
}

// So that what is wrong with it is said here, with its status.
void check_contents(const EmulatedDrive& drive, const emulator::ContentsChoice& choice) {
  const model::Identity& identity = drive.table.identity;
  if (choice.file)
    emulator::make_contents(choice, identity.blocks * identity.block_bytes, identity.block_bytes);
}

}  // namespace

emulator::DrivesSettings block_drives(const std::vector<EmulatedDrive>& drives,
                                      const BlockServing& serving, model::TemporaryFolder& folder) {
  emulator::DrivesSettings settings;
  for (std::size_t i = 0; i < drives.size(); ++i) {
    if (drives[i].model && drives[i].model->identity.zones == "host-managed")
      throw Error(ExitStatus::unsupported,
                  model::printable(drives[i].path) +
                      " is of a host-managed drive, whose zones only SCSI tells of: serve it over "
                      "--vhost-user");
    emulator::DriveSettings drive;
    drive.name = drives[i].name;
    drive.table = table_file(drives[i], i, folder);
    if (!serving.contents.empty()) {
      check_contents(drives[i], serving.contents[i]);
      drive.contents = serving.contents[i];
    }
    drive.write_cache_loss = serving.write_cache_loss;
    if (drives[i].episodes) drive.episodes = episodes_file(drives[i], i, folder);
    if (serving.scheduler) drive.scheduler = static_cast<std::uint32_t>(*serving.scheduler);
    drive.depth = serving.depth;
    settings.drives.push_back(drive);
  }
  settings.speed = serving.speed;
  settings.log = serving.log;
  settings.json = serving.json;
  return settings;
}

}  // namespace platter::jobs

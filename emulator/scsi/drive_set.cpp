#include "emulator/scsi/drive_set.h"

#include <fmt/format.h>

#include <cstring>

#include "emulator/contents/contents_file.h"
#include "emulator/contents/generated_contents.h"
#include "emulator/contents/volatile_contents.h"
#include "model/error.h"
#include "model/printable.h"

namespace platter::emulator {

DriveSet::DriveSet(const std::vector<DriveOfSet>& drives, const std::optional<std::string>& log,
                   int speed) {
  for (const DriveOfSet& drive : drives) add_contents(drive);
  if (log) log_ = std::make_unique<LogWriter>(*log);
  for (unsigned i = 0; i < drives.size(); ++i) add_drive(drives[i].drive, i);
  if (!log_) return;
  std::vector<std::string> heads;
  for (const auto& drive : drives_) heads.push_back(drive->log_head());
  log_->line(log_head("commands", speed, heads));
}

void DriveSet::add_drive(ScsiDriveSettings drive, unsigned number) {
  if (files_[number] != nullptr && !drive.model.identity.zone_runs.empty())
    drive.zones.emplace(files_[number]->descriptor(), files_[number]->bytes());
  drives_.push_back(std::make_unique<ScsiDrive>(drive, number, *contents_[number], log_.get()));
}

void DriveSet::add_contents(const DriveOfSet& drive) {
  const model::Identity& identity = drive.drive.model.identity;
  std::uint64_t zones = 0;
  for (const model::ZoneRun& run : identity.zone_runs) zones += run.zones;
  if (zones > 0 && drive.contents.generated)
    throw Error(ExitStatus::bad_input,
                model::printable(drive.drive.name) +
                    " is zoned, and contents of such drives are kept whole: give a file for them, "
                    "or none");
  auto media = make_contents(drive.contents, identity.blocks * identity.block_bytes,
                             identity.block_bytes, zones * ZoneTable::kEntryBytes);
  files_.push_back(drive.contents.file ? dynamic_cast<const ContentsFile*>(media.get()) : nullptr);
  generated_.push_back(dynamic_cast<const GeneratedContents*>(media.get()));
  if (drive.write_cache_loss)
    media = std::make_unique<VolatileContents>(std::move(media), [this, number = contents_.size()] {
      return drives_[number]->unwritten_bytes();
    });
  contents_.push_back(std::move(media));
}

void DriveSet::finish(const std::function<void(const std::string&)>& notice) {
  for (const auto& drive : drives_) {
    const int not_kept = drive->keep_zones();
    if (const int error = not_kept != 0 ? not_kept : drive->contents().flush())
      notice(fmt::format("the contents of {} were not kept: {}", model::printable(drive->name()),
                         std::strerror(error)));
    if (const int error = drive->contents_error())
      notice(fmt::format("the contents of {} failed a command: {}", model::printable(drive->name()),
                         std::strerror(error)));
  }
  if (!log_) return;
  if (const std::string trouble = log_->finish(); !trouble.empty())
    notice(model::printable(trouble));
}

}  // namespace platter::emulator

// The drives of one emulation: each with what it holds, and one log of all that they are asked.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/contents/contents_choice.h"
#include "emulator/pace/log_writer.h"
#include "emulator/scsi/scsi_drive.h"

namespace platter::emulator {

class ContentsFile;
class GeneratedContents;

struct DriveOfSet {
  ScsiDriveSettings drive{};
  ContentsChoice contents{};
  bool write_cache_loss = false;  // a power cut takes what the drive's cache has not written
};

class DriveSet {
 public:
  using Drives = std::vector<std::unique_ptr<ScsiDrive>>;

  // `log`: a path. `speed`: so many times as fast as the clock of whoever asks them, for the log.
  // Throws Error for a model, or a file of contents or of the log, that is not what it should be.
  DriveSet(const std::vector<DriveOfSet>& drives, const std::optional<std::string>& log, int speed);
  DriveSet(const DriveSet&) = delete;
  DriveSet& operator=(const DriveSet&) = delete;

  const Drives& drives() const { return drives_; }
  // Of a drive whose data are dropped; else nullptr.
  const GeneratedContents* generated(std::size_t number) const { return generated_[number]; }
  // Contents and log are whole then. `notice` takes a sentence for each that is not.
  void finish(const std::function<void(const std::string&)>& notice);

 private:
  void add_drive(ScsiDriveSettings drive, unsigned number);
  void add_contents(const DriveOfSet& drive);

  std::unique_ptr<LogWriter> log_{};
  std::vector<std::unique_ptr<Contents>> contents_{};
  std::vector<const GeneratedContents*> generated_{};
  std::vector<const ContentsFile*> files_{};  // of contents that outlive the emulation; or nullptr
  Drives drives_{};
};

}  // namespace platter::emulator

#include "cli/careful_replay.h"

#include <optional>
#include <utility>

#include "cli/interrupt.h"
#include "model/error.h"

namespace platter::cli {
namespace {

void stop_if_interrupted() {
  if (interrupted())
    throw Error(ExitStatus::interrupted, "stopped by a signal; the drive's settings are restored");
}

}  // namespace

CarefulReplay::CarefulReplay(std::string device) : device_(std::move(device)) {
  catch_interrupts();
}

replay::DriveReplay CarefulReplay::options(const std::string& stage) {
  replay::DriveReplay options;
  options.progress = [this, stage](std::size_t done, std::size_t total) {
    stop_if_interrupted();
    progress_.show(stage, static_cast<double>(done) / static_cast<double>(total));
  };
  if (device_.starts_with("virtual:")) return options;  // ends with this process: nothing to save
  options.before_changes = [this](const model::Identity& identity, scsi::Drive& drive) {
    if (journal_) return;
    journal_ = std::make_unique<extract::Journal>(extract::default_journal_folder(), device_,
                                                  identity, extract::settings_of(drive));
  };
  options.before_writes = [this](std::uint64_t lbn, const std::vector<std::uint8_t>& bytes) {
    stop_if_interrupted();
    journal_->before_write(lbn, bytes);
  };
  return options;
}

void CarefulReplay::finish() {
  progress_.clear();
  if (journal_) journal_->finish();
}

}  // namespace platter::cli

#include "jobs/careful_replay.h"

#include <fmt/core.h>

#include <utility>

#include "jobs/signals.h"
#include "model/as_error.h"
#include "model/error.h"
#include "safety/end_of_run.h"

namespace platter::jobs {
namespace {

void stop_if_interrupted() {
  if (interrupted())
    throw Error(ExitStatus::interrupted, "stopped by a signal; the drive's settings are restored");
}

}  // namespace

CarefulReplay::CarefulReplay(scsi::Device& device, std::string name, Progress& progress)
    : device_(device), name_(std::move(name)), progress_(progress) {
  catch_interrupts();
}

replay::DriveReplay CarefulReplay::options(const std::string& stage) {
  replay::DriveReplay options;
  options.progress = [this, stage](std::size_t done, std::size_t total) {
    stop_if_interrupted();
    progress_.show(stage, static_cast<double>(done) / static_cast<double>(total));
  };
  if (name_.starts_with("virtual:")) return options;  // ends with this process: nothing to save
  options.before_changes = [this](const model::Identity& identity, scsi::Drive& drive) {
    if (journal_) return;
    identity_ = identity;
    journal_ = std::make_unique<safety::Journal>(safety::default_journal_folder(), name_, identity,
                                                 safety::settings_of(drive));
  };
  options.before_writes = [this](std::uint64_t lbn, const std::vector<std::uint8_t>& bytes) {
    stop_if_interrupted();
    journal_->before_write(lbn, bytes);
  };
  return options;
}

void CarefulReplay::run(const std::function<void()>& replays) {
  try {
    replays();
  } catch (const std::exception& thrown) {
    const Error error = model::as_error(thrown);
    std::string trouble = looked_after();
    if (trouble.empty()) trouble = journal_stays_.value_or("");
    throw Error(error.status(), error.what() + (trouble.empty() ? "" : "; " + trouble));
  }
  if (const std::string trouble = looked_after(); !trouble.empty())
    throw Error(ExitStatus::drive_error, trouble);
}

void require_journal_gone(const std::optional<std::string>& journal_stays) {
  if (journal_stays)
    throw Error(ExitStatus::output, "the results are written, but " + *journal_stays);
}

std::string CarefulReplay::looked_after() {
  progress_.clear();
  if (!journal_) return "";
  const safety::EndOfRun end = safety::end_run(device_, identity_, *journal_);
  journal_.reset();
  journal_stays_ = end.journal_stays;
  return end.trouble;
}

}  // namespace platter::jobs

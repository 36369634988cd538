#include "emulator/scsi/scsi_drive.h"

#include <nlohmann/json.hpp>

namespace platter::emulator {

ScsiDrive::ScsiDrive(const ScsiDriveSettings& settings, unsigned number, Contents& contents,
                     LogWriter* log)
    : name_(settings.name),
      model_sha256_(settings.model_sha256),
      contents_(contents),
      blocks_(contents, settings.model.identity.block_bytes),
      target_(settings.model, &blocks_),
      log_(log != nullptr ? std::optional<CommandLog>(std::in_place, *log, number) : std::nullopt) {
}

void ScsiDrive::submit(const scsi::Command& command, std::uint32_t tag, Nanoseconds issued_ns) {
  if (log_) log_->submitted(command, tag, issued_ns);
  target_.submit(command, tag, issued_ns);
  asked();
}

// What was asked may have changed what is next, and may have moved blocks.
void ScsiDrive::asked() {
  next_due_ = target_.next_due();
  const int error = blocks_.take_error();
  if (error == 0) return;
  contents_error_ = error;
  if (log_) log_->contents_failed(error);
}

std::optional<scsi::Completion> ScsiDrive::take(Nanoseconds now_ns) {
  auto completion = target_.take(now_ns);
  if (log_ && completion)
    log_->taken(*completion);
  else if (log_)
    log_->had_nothing(now_ns);
  asked();
  return completion;
}

bool ScsiDrive::abort(std::uint32_t tag, Nanoseconds now_ns) {
  if (log_) log_->aborted(tag, now_ns);
  const bool was_there = target_.abort(tag, now_ns);
  asked();
  return was_there;
}

void ScsiDrive::reset(Nanoseconds now_ns) {
  if (log_) log_->reset(now_ns);
  target_.reset(now_ns);
  asked();
}

void ScsiDrive::power_cycle(Nanoseconds now_ns) {
  if (log_) log_->power_cycled(now_ns);
  target_.power_cycle(now_ns);
  asked();
}

void ScsiDrive::delivered(std::uint32_t tag, Nanoseconds at_ns) {
  if (log_) log_->delivered(tag, at_ns);
}

std::string ScsiDrive::log_head() const {
  const auto& imperfections = model().imperfections;
  const nlohmann::ordered_json head = {{"name", name_},
                                       {"model_sha256", model_sha256_},
                                       {"seed", imperfections ? imperfections->seed : 0}};
  return head.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace platter::emulator

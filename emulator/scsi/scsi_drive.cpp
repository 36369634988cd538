#include "emulator/scsi/scsi_drive.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/json_text.h"
#include "virtual_drive/sense_data.h"

namespace platter::emulator {

ScsiDrive::ScsiDrive(const ScsiDriveSettings& settings, unsigned number, Contents& contents,
                     LogWriter* log)
    : name_(settings.name),
      model_sha256_(settings.model_sha256),
      contents_(contents),
      blocks_(contents, settings.model.identity.block_bytes),
      target_(settings.model, &blocks_),
      log_(log != nullptr ? std::optional<CommandLog>(std::in_place, *log, number) : std::nullopt),
      episodes_(settings.episodes
                    ? std::optional<DriveEpisodes>(std::in_place, settings.episodes, number)
                    : std::nullopt) {}

void ScsiDrive::submit(const scsi::Command& command, std::uint32_t tag, Nanoseconds issued_ns) {
  now_ns_ = std::max(now_ns_, issued_ns);
  if (log_) log_->submitted(command, tag, issued_ns);
  if (episodes_ && episodes_->came(command, tag, issued_ns)) blocks_.drop(tag);
  target_.submit(command, tag, issued_ns);
  asked();
}

// What was asked may have changed what is next, and may have moved blocks.
void ScsiDrive::asked() {
  target_due_ = target_.next_due();
  look_for_next();
  if (const int error = blocks_.take_error(); error != 0) note_failure(error);
}

void ScsiDrive::look_for_next() {
  next_due_ = target_due_;
  if (!episodes_) return;
  if (const auto kept_ns = episodes_->next_due(); kept_ns && (!next_due_ || *kept_ns < *next_due_))
    next_due_ = kept_ns;
}

void ScsiDrive::note_failure(int error) {
  contents_error_ = error;
  if (log_) log_->contents_failed(error);
}

// What was kept back is the target's no more, which is not asked for it.
std::optional<scsi::Completion> ScsiDrive::take(Nanoseconds now_ns) {
  if (episodes_)
    if (const auto kept_ns = episodes_->next_due();
        kept_ns && *kept_ns <= now_ns && *kept_ns <= target_due_.value_or(now_ns)) {
      now_ns_ = std::max(now_ns_, *kept_ns);
      std::optional<scsi::Completion> kept = episodes_->take();
      look_for_next();
      return kept;
    }
  auto completion = target_.take(now_ns);
  if (log_ && completion)
    log_->taken(*completion);
  else if (log_)
    log_->had_nothing(now_ns);
  if (completion) {
    now_ns_ = std::max(now_ns_, completion->completed_ns);
    const int error = blocks_.end_command(completion->tag);
    if (error != 0) fail(*completion);
    if (episodes_) {
      const std::uint32_t tag = completion->tag;
      completion = episodes_->pass(*std::move(completion), [&](const episodes::Action& action) {
        if (log_) log_->acted(tag, action);
      });
    }
    if (error != 0) note_failure(error);
  }
  asked();
  return completion;
}

void ScsiDrive::fail(scsi::Completion& completion) {
  completion.status = scsi::Status::check_condition;
  completion.sense = virtual_drive::fixed_sense(virtual_drive::kInternalTargetFailure);
}

bool ScsiDrive::abort(std::uint32_t tag, Nanoseconds now_ns) {
  now_ns_ = std::max(now_ns_, now_ns);
  if (log_) log_->aborted(tag, now_ns);
  bool was_there = target_.abort(tag, now_ns);
  if (episodes_ && episodes_->abort(tag)) was_there = true;
  if (const int error = blocks_.end_command(tag); error != 0) note_failure(error);
  asked();
  return was_there;
}

void ScsiDrive::reset(Nanoseconds now_ns) {
  now_ns_ = std::max(now_ns_, now_ns);
  if (log_) log_->reset(now_ns);
  target_.reset(now_ns);
  if (episodes_) episodes_->forget_all();
  blocks_.end_all();
  asked();
}

// What the contents lose is asked of the drive before it forgets it.
void ScsiDrive::power_cycle(Nanoseconds now_ns) {
  now_ns_ = std::max(now_ns_, now_ns);
  if (log_) log_->power_cycled(now_ns);
  const int error = blocks_.cut_power();
  target_.power_cycle(now_ns);
  if (episodes_) episodes_->forget_all();
  if (error != 0) note_failure(error);
  asked();
}

std::vector<Range> ScsiDrive::unwritten_bytes() const {
  const std::uint64_t block_bytes = target_.truth().identity.block_bytes;
  std::vector<Range> ranges;
  for (const auto& [first, end] : target_.unwritten(now_ns_))
    ranges.push_back({first * block_bytes, end * block_bytes});
  return ranges;
}

std::optional<std::vector<EpisodeReport>> ScsiDrive::episode_reports() const {
  if (!episodes_) return std::nullopt;
  std::vector<EpisodeReport> reports;
  for (const episodes::Episode& episode : episodes_->schedule().episodes)
    reports.push_back({episodes::word_of(episode.what), episodes_->acted()[reports.size()]});
  return reports;
}

void ScsiDrive::delivered(std::uint32_t tag, Nanoseconds at_ns) {
  if (log_) log_->delivered(tag, at_ns);
}

std::string ScsiDrive::log_head() const {
  const auto& imperfections = model().imperfections;
  nlohmann::ordered_json head = {{"name", name_},
                                 {"model_sha256", model_sha256_},
                                 {"seed", imperfections ? imperfections->seed : 0}};
  if (episodes_) head["episodes_sha256"] = episodes_->schedule().sha256;
  return model::json_text(head, model::JsonForm::ascii);
}

}  // namespace platter::emulator

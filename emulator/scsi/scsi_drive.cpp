#include "emulator/scsi/scsi_drive.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/contents/volatile_contents.h"
#include "model/error.h"
#include "model/json_text.h"
#include "virtual_drive/sense_data.h"

namespace platter::emulator {

ScsiDrive::ScsiDrive(const ScsiDriveSettings& settings, unsigned number, Contents& contents,
                     LogWriter* log)
    : name_(settings.name),
      model_sha256_(settings.model_sha256),
      contents_(contents),
      blocks_(contents, settings.model.identity.block_bytes,
              !settings.model.identity.zone_runs.empty()),
      target_(settings.model, &blocks_),
      zone_table_(settings.zones),
      loses_cache_(dynamic_cast<VolatileContents*>(&contents) != nullptr),
      log_(log != nullptr ? std::optional<CommandLog>(std::in_place, *log, number) : std::nullopt),
      episodes_(settings.episodes
                    ? std::optional<DriveEpisodes>(std::in_place, settings.episodes, number)
                    : std::nullopt) {
  if (loses_cache_) target_.lose_cache();
  take_up_zones();
}

// As they were kept with the contents, else as the model has them.
void ScsiDrive::take_up_zones() {
  virtual_drive::ZoneList& zones = target_.zones();
  for (std::size_t i = 0; i < zones.zones().size(); ++i) {
    const auto kept = zone_table_ ? zone_table_->load(i) : std::nullopt;
    if (kept && !zones.restore(i, {kept->written, kept->condition}))
      throw Error(ExitStatus::bad_input,
                  fmt::format("the contents of {} were written with other zones than the model's; "
                              "give the contents of this drive, or a file that is not there yet",
                              name_));
    kept_zones_.push_back(zones.state(i));
    unlike_kept_.insert(static_cast<std::uint32_t>(i));
  }
  zones.take_changed();
}

// 0, or an errno.
int ScsiDrive::keep_zone(std::size_t number, const virtual_drive::ZoneList::State& state) {
  kept_zones_[number] = state;
  return zone_table_->store(number, {state.written, state.condition});
}

// A cache that loses what it has holds pointers back until that is on the media: they are kept when
// a command says so, and when zones were reset.
int ScsiDrive::keep_changed_zones() {
  const std::vector<std::uint32_t> changed = target_.zones().take_changed();
  if (!zone_table_ || changed.empty()) return 0;
  unlike_kept_.insert(changed.begin(), changed.end());
  const virtual_drive::ZoneList& zones = target_.zones();
  if (loses_cache_)
    return std::ranges::any_of(
               changed,
               [&](std::uint32_t i) { return zones.state(i).written < kept_zones_[i].written; })
               ? keep_zones()
               : 0;
  int error = 0;
  for (const std::uint32_t i : changed)
    if (const int failed = keep_zone(i, zones.state(i)); error == 0) error = failed;
  return error;
}

// Those that a power cut would leave as they are change by commands alone.
int ScsiDrive::keep_zones() {
  if (!zone_table_) return 0;
  const std::vector<std::uint32_t> changed = target_.zones().take_changed();
  unlike_kept_.insert(changed.begin(), changed.end());
  const std::vector<std::uint32_t> numbers(unlike_kept_.begin(), unlike_kept_.end());
  const auto then = target_.zones_after_cut(numbers, now_ns_);
  int error = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (then[i] != kept_zones_[numbers[i]])
      if (const int failed = keep_zone(numbers[i], then[i]); error == 0) error = failed;
    if (then[i] == target_.zones().state(numbers[i])) unlike_kept_.erase(numbers[i]);
  }
  return error;
}

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
  if (const int error = keep_changed_zones(); error != 0) note_failure(error);
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
    int error = blocks_.end_command(completion->tag);
    if (error == 0 && loses_cache_ && !blocks_.has_to_last().empty()) error = keep_zones();
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
  if (const int not_kept = keep_zones(); not_kept != 0) note_failure(not_kept);
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
  if (!kept_zones_.empty()) {
    head["zones"] = nlohmann::ordered_json::array();
    for (const auto& zone : kept_zones_) head["zones"].push_back({zone.condition, zone.written});
    head["write_cache_loss"] = loses_cache_;
  }
  if (episodes_) head["episodes_sha256"] = episodes_->schedule().sha256;
  return model::json_text(head, model::JsonForm::ascii);
}

}  // namespace platter::emulator

#include "extract/what_was_written.h"

#include <fmt/core.h>

#include "model/interruption.h"
#include "scsi/reply.h"

namespace platter::extract {

void WhatWasWritten::begin(const model::Identity& identity, const safety::SavedSettings& settings) {
  identity_ = identity;
  journal_.emplace(options_.journal_folder, options_.device_name, identity, settings);
  drive_.on_write([this](std::uint64_t lbn, const std::vector<std::uint8_t>& bytes) {
    journal_->before_write(lbn, bytes);
  });
}

std::optional<std::size_t> WhatWasWritten::reads_of_check() const {
  if (!journal_) return std::nullopt;
  return safety::reads_of_check(journal_->contents(), how_to_check());
}

std::optional<std::string> WhatWasWritten::give_up(const std::string& cause) {
  cause_ = cause;
  if (journal_) put_in_order();
  return not_restored_ ? not_restored_ : journal_stays_;
}

safety::MediaCheckOptions WhatWasWritten::how_to_check() const {
  return {.read_along = options_.skip.empty(), .skipped = guard_.permission().skipped};
}

safety::EndOfRun WhatWasWritten::check() {
  safety::MediaCheckOptions options = how_to_check();
  options.most_blocks = drive_.most_blocks();
  return safety::check_written(device_, identity_, *journal_, options);
}

// What was written must be on the media before the only other copy of it goes.
std::optional<safety::EndOfRun> WhatWasWritten::look_after() {
  safety::EndOfRun end = check();
  if (!end.media.put_back.empty())
    note_(
        {model::Code::put_back,
         fmt::format("at the end the drive did not hold what it had held, and it was put back: {}",
                     safety::in_words(end.media.put_back))});
  const bool only_unknown = end.media.past == safety::Past::nothing_known &&
                            end.media.lost.empty() &&
                            end.media.intact == journal_->contents().size();
  if (end.well()) return std::nullopt;
  note_(end.trouble);
  if (!only_unknown) return end;
  not_verified_ = end.trouble;
  return std::nullopt;
}

// The model is whole by now, and not to be lost for it.
void WhatWasWritten::put_in_order() {
  const Uninterruptible in_order;
  const auto blocks = look_after();
  if (blocks) not_restored_ = advice_of(blocks, nullptr);
  another_drive_ = blocks && blocks->media.is_another_drive;
  try {
    if (another_drive_)
      drive_.settings().keep();
    else
      settings_.put_back();
  } catch (const Error& error) {
    not_restored_ = advice_of(blocks, &error);
    drive_.settings().keep();  // nothing is tried again behind the journal's back
  }
  if (!not_restored_ && !not_verified_) journal_stays_ = journal_->finish();
  journal_.reset();
}

// What is wrong with the drive and what to do, each thing once: a drive that is gone gives the same
// reason for all of it, and gave it when the run ended.
std::string WhatWasWritten::advice_of(const std::optional<safety::EndOfRun>& blocks,
                                      const Error* settings) const {
  if (blocks && blocks->media.is_another_drive) return blocks->trouble;
  const auto* refusal = dynamic_cast<const scsi::NotTakenBack*>(settings);
  std::string text, held;
  if (blocks) {
    text = blocks->fact;
    held = "what it held";
    if (!blocks->why.empty() && blocks->why != cause_) text += " (" + blocks->why + ")";
  }
  if (settings != nullptr) {
    const std::string why = refusal ? refusal->fact() : settings->what();
    const bool said = why == cause_ || (blocks && why == blocks->why);
    text += (text.empty() ? "" : "; ") + (said ? "the settings could not be put back" : why);
    held += held.empty() ? "the settings as they were" : " and the settings as they were";
  }
  return fmt::format("{}; {} {} in the journal: run platter restore {}{}", text, held,
                     settings ? "are" : "is", journal_->path(),
                     refusal ? ", or power the drive off and on" : "");
}

}  // namespace platter::extract

#include "extract/settings_watch.h"

#include <fmt/core.h>

namespace platter::extract {
namespace {

// Chosen: MODE SENSE of some pages takes less than a hundredth of the time of so many accesses.
constexpr std::uint64_t kLookEvery = 128;

}  // namespace

void SettingsWatch::begin(const std::string& stage, Caches caches, bool may_break) {
  stage_ = stage;
  caches_ = caches;
  may_break_ = may_break;
  active_ = caches != Caches::any;
  seen_to_hold();
}

void SettingsWatch::seen_to_hold() {
  next_look_ = drive_.commands() + kLookEvery;
  samples_that_hold_ = context_.samples.size();
}

void SettingsWatch::after(const scsi::CommandRecord& done) {
  if (!active_ || at_work_) return;
  if (caches_ == Caches::as_found) {
    if (may_break_ && done.blocks > 0 && settings_.was_reset()) throw StageBroken{};
    return;
  }
  at_work_ = true;
  const struct Done {
    bool& at_work;
    ~Done() { at_work = false; }
  } is_done{at_work_};
  bool held = !settings_.was_reset();
  if (held && drive_.commands() < next_look_) return;
  held = held && settings_.pages_hold();
  if (!held && settings_.was_reset()) {
    note_(fmt::format(
        "the drive was reset, or its settings were changed, during the stage '{}'; it said so, and "
        "the settings were made again at once",
        stage_));
    settings_.set(caches_);
  } else if (!held && may_break_) {
    throw StageBroken{};
  } else if (!held) {
    note_({model::Code::settings_unsteady,
           fmt::format("the drive keeps losing its settings in silence during the stage '{}'; they "
                       "were made again, and what had been measured since they were last seen is "
                       "not used",
                       stage_)});
    disturbed_(samples_that_hold_);
    settings_.set(caches_);
  }
  seen_to_hold();
}

}  // namespace platter::extract

#include "extract/run_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>

#include "estimate/rotation.h"
#include "model/error.h"
#include "scsi/forced_access.h"

namespace platter::extract {

// All settings of the run. A reset meanwhile undoes what was set first.
void RunSettings::set(Caches caches) {
  has_set_ = true;
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    drive_.test_unit_ready();  // what is pending is reported now
    resets_seen_ = drive_.resets();
    stop_what_the_drive_does_on_its_own();
    if (caches == Caches::off) switch_caches_off();
    if (caches == Caches::as_found) put_caches_back();
    set_pages_ = safety::settings_of(drive_).pages;
    if (!was_reset()) break;
  }
  // A bridge that begins anew at each MODE SELECT would else be set again at each command; what a
  // true reset has taken of the last attempt shows in the pages.
  resets_seen_ = drive_.resets();
  caches_ = caches;
}

// A reset may have taken away what the run found, and never set.
void RunSettings::put_back() {
  drive_.settings().restore();
  std::exception_ptr refused;
  for (const safety::SavedPage& page : found_.pages) {
    try {
      if (has_set_ && !drive_.settings().shows(page)) drive_.settings().put_back_page(page);
    } catch (const scsi::NotTakenBack&) {
      refused = std::current_exception();  // the others are worth it all the same
    }
  }
  if (refused) std::rethrow_exception(refused);
}

// The pages are as they were set, and where the caches are to be off, they are by effect.
bool RunSettings::held() {
  return pages_hold() && (caches_ != Caches::off || reads_come_from_the_media());
}

bool RunSettings::pages_hold() {
  const auto held = [this](const safety::SavedPage& page) { return drive_.settings().shows(page); };
  return std::ranges::all_of(set_pages_, held) && drive_.settings().features_hold();
}

// A scan of the medium or a spindle that stops would be taken for mechanics.
void RunSettings::stop_what_the_drive_does_on_its_own() {
  const auto keep = [](scsi::Stopped outcome, Outcomes& outcomes) {
    outcomes.stopped |= outcome == scsi::Stopped::stopped;
    outcomes.goes_on |= outcome == scsi::Stopped::goes_on;
  };
  keep(drive_.settings().stop_background_scan(), scans_);
  keep(drive_.settings().stop_power_conditions(), power_conditions_);
  keep(drive_.settings().stop_power_management(), power_management_);
}

// Each is set anew after a reset, and may come out otherwise then.
void RunSettings::tell_what_was_stopped() {
  const auto tell = [this](const Outcomes& outcomes, const char* what) {
    if (!outcomes.stopped && !outcomes.goes_on) return;
    note_(fmt::format("{} {}", what,
                      !outcomes.goes_on ? "were stopped during the run"
                      : outcomes.stopped
                          ? "were stopped for a part of the run only, and may have delayed commands"
                          : "could not be stopped and may have delayed commands"));
  };
  tell(scans_, "background scans (mode page 1Ch/01h)");
  tell(power_conditions_, "power conditions (mode page 1Ah)");
  tell(power_management_, "power transitions (SET FEATURES, advanced power management)");
}

void RunSettings::switch_caches_off() {
  const bool set = drive_.settings().set_cache(false, true, true);
  // A drive without a caching page, or one that takes no change of it, may still have no cache;
  // the rotation tells.
  const bool in_part = !set && drive_.settings().set_cache_in_part(false, true, true);
  if (forces_reads_ || forces_writes_) {
    drive_.settings().force_access(drive_.settings().forces_reads() || forces_reads_,
                                   forces_writes_);
    tell_of_passed_caches();
    if (forces_reads_) return;
  }
  if (set) {
    if (drive_.settings().forces_reads())
      note_(
          "write cache and look-ahead were switched off by SET FEATURES, mode page 08h could not "
          "be "
          "changed; ATA has nothing that switches off reads from the cache: with caches off all "
          "reads "
          "were sent with FUA");
    return;
  }
  note_(fmt::format(
      "mode page 08h could {}be changed{}; whether the caches are off was judged by effect",
      in_part ? "" : "not ", in_part ? " in part only" : ""));
}

// As they were when the run began: a reset may have made others of them.
void RunSettings::put_caches_back() {
  drive_.settings().restore_cache();
  for (const safety::SavedPage& page : found_.pages)
    if (scsi::code_of(page) == scsi::kCachingPage && !drive_.settings().shows(page))
      drive_.settings().restore_page(page);
}

void RunSettings::refuse_a_cache_that_stays_on() const {
  throw Error(
      ExitStatus::unsupported,
      fmt::format("{} answers reads of one sector, and of others each read once, faster than at "
                  "{:.0f} rpm, the limit of the search for its rotation: either its cache cannot "
                  "be passed by, or it turns faster, and so it cannot be characterized",
                  options_.device_name, estimate::kFastest_rpm));
}

// It could be read when the run began, and so once it cannot it is tried again.
scsi::Completion RunSettings::reach_reference() {
  constexpr int kTries = 3;
  for (int attempt = 1;; ++attempt) {
    try {
      return mtbrc::reach_media(context_, reference_lbn);
    } catch (const scsi::DriveError& error) {
      if (attempt == kTries || error.status() != ExitStatus::drive_error) throw;
    }
  }
}

// Three accesses of one block: from the media they are a revolution apart.
bool RunSettings::reads_come_from_the_media() {
  if (context_.rotation.numerator_ns == 0) return true;  // the rotation itself tells
  if (context_.reads_once) return true;                  // nothing tells
  int fast = 0;
  Nanoseconds before = reach_reference().completed_ns;
  for (int i = 0; i < 3; ++i) {
    const Nanoseconds completed = reach_reference().completed_ns;
    if (static_cast<double>(completed - before) < 0.5 * context_.period_ns()) ++fast;
    before = completed;
  }
  const bool hidden = drive_.settings().forces_reads() || context_.probe == mtbrc::Probe::verify;
  return fast < 2 && (!hidden || look_ahead_stays_on_ || nothing_is_read_ahead());
}

// FUA and VERIFY hide a look-ahead that is on. Half a revolution behind a read the next block is
// half a revolution away from the head, or in the cache.
bool RunSettings::nothing_is_read_ahead() {
  const double half_ns = 0.5 * context_.period_ns();
  int fast = 0;
  for (int i = 0; i < 3; ++i) {
    LbnRange first;
    std::uint64_t next = 0;  // not in the cache so far
    do {
      first = drive_.physical_blocks().covering(context_.random() % (drive_.blocks() - 1), 1);
      next = first.last + 1;
    } while (next >= drive_.blocks() || drive_.leaves_out(first.last, 2));
    try {
      drive_.read_as_cached(first.last);
      drive_.rest_ns(static_cast<Nanoseconds>(half_ns));
      if (static_cast<double>(drive_.read_as_cached(next).response_ns()) < 0.4 * half_ns) ++fast;
    } catch (const scsi::DriveError& error) {
      if (!error.may_do_elsewhere()) throw;
    }
  }
  return fast < 2;
}

// Where setting the caches off does nothing to reads.
bool RunSettings::pass_caches_by() {
  if (looked_for_way_) return false;
  find_way_to_media();
  return context_.probe != mtbrc::Probe::read || context_.reads_once;
}

void RunSettings::find_way_to_media() {
  looked_for_way_ = true;
  const mtbrc::WayToMedia way = mtbrc::find_way_to_media(context_, reference_lbn);
  context_.probe = way.probe;
  context_.reads_once = way.reads_once;
  forces_reads_ = way.probe == mtbrc::Probe::forced_read;
  drive_.settings().force_access(forces_reads_, drive_.settings().forces_writes());
  if (way.probe == mtbrc::Probe::verify)
    note_(
        fmt::format("{}: with caches off what was timed on the media are VERIFY commands, and "
                    "blocks that had not been read before",
                    way.why_not));
  if (way.reads_once)
    note_(
        fmt::format("{}: what was timed on the media are reads of blocks that had not been read "
                    "before",
                    way.why_not));
  tell_of_passed_caches();
}

void RunSettings::find_out_again() {
  set(Caches::off);
  if (!reads_come_from_the_media() && !pass_caches_by()) refuse_a_cache_that_stays_on();
  look_for_read_ahead();
  bring_writes_to_the_media();
}

void RunSettings::look_for_read_ahead() {
  if (!looked_for_way_) return;
  look_ahead_stays_on_ = look_ahead_stays_on_ || !nothing_is_read_ahead();
  // Chosen: what comes by until the next command, which most drives stop for, on tracks of today.
  constexpr std::uint32_t kReach_bytes = 256 << 10;
  if (look_ahead_stays_on_) context_.read_ahead_reach = kReach_bytes / drive_.block_bytes();
  tell_of_passed_caches();
}

void RunSettings::tell_of_passed_caches() {
  if (forces_reads_)
    note_(
        "the read cache could not be switched off by mode page 08h: with caches off all reads were "
        "sent "
        "with FUA");
  if (forces_writes_)
    note_(
        "the write cache could not be switched off by mode page 08h: with caches off all writes "
        "were sent "
        "with FUA");
  if (look_ahead_stays_on_)
    note_("read-ahead could not be switched off and went on between commands with caches off");
}

// Writes have a cache of their own, and may be the ones that FUA does not pass by.
void RunSettings::bring_writes_to_the_media() {
  if (options_.writable.empty() || forces_writes_) return;
  no_media_writes_.clear();
  if (context_.reads_once) {
    no_media_writes_ = "no command passes the cache, by which it could be told whether writes do";
    note_(no_media_writes_ + ": no write was timed that waits for the media");
    return;
  }
  const auto reach = [this](std::uint64_t lbn) { mtbrc::reach_media(context_, lbn); };
  switch (scsi::force_writes(drive_, options_.writable.front().first, reach)) {
    case scsi::Forced::not_needed:
      return;
    case scsi::Forced::obeyed:
      forces_writes_ = true;
      tell_of_passed_caches();
      return;
    case scsi::Forced::refused:
      no_media_writes_ = "the write cache stays on, and the drive refuses writes with FUA";
      break;
    case scsi::Forced::ignored:
      no_media_writes_ = "the write cache stays on, and answers writes with FUA, too";
      break;
  }
  note_(no_media_writes_ + ": no write was timed that waits for the media");
}

void RunSettings::end_writes(const std::string& why) { no_media_writes_ = why; }

// What may be written where writes have to wait for the media.
const std::vector<LbnRange>& RunSettings::media_writes() const {
  static const std::vector<LbnRange> kNone;
  return no_media_writes_.empty() ? options_.writable : kNone;
}

}  // namespace platter::extract

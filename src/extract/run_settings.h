// The drive's settings in a run: made for each stage, held against what the drive shows and does,
// put back. Caches that stay on whatever is set are passed by, with FUA or by VERIFY, where that
// can be.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "extract/caches.h"
#include "extract/options.h"
#include "model/finding_kinds.h"
#include "mtbrc/context.h"
#include "safety/journal.h"
#include "scsi/drive.h"

namespace platter::extract {

class RunSettings {
 public:
  using Note = std::function<void(model::Noted)>;  // for the reader of the model

  RunSettings(const Options& options, scsi::Drive& drive, mtbrc::Context& context, Note note)
      : options_(options), drive_(drive), context_(context), note_(std::move(note)) {}

  // As they are when the run begins.
  const safety::SavedSettings& remember() { return found_ = safety::settings_of(drive_); }
  void set(Caches caches);
  Caches caches() const { return caches_; }
  bool held();
  bool pages_hold();  // as far as they show; sends no media access
  bool was_reset() const { return drive_.resets() != resets_seen_; }
  // Of a run that goes on, whose rotation is known: what switches the caches off, and passes by
  // those that stay on.
  void find_out_again();
  void put_back();  // throws Error where the drive does not take them

  void stop_what_the_drive_does_on_its_own();
  void tell_what_was_stopped();

  // Where reads with caches off are answered by one all the same: by what the media are reached
  // (mtbrc::Context::probe). False: that was looked for before, or reads come from the media.
  bool pass_caches_by();
  void look_for_read_ahead();  // where caches are passed by; the rotation is known by now
  bool look_ahead_stays_on() const { return look_ahead_stays_on_; }
  [[noreturn]] void refuse_a_cache_that_stays_on() const;

  void bring_writes_to_the_media();
  void end_writes(const std::string& why);  // none is made any more
  // What may be written where writes have to wait for the media; why nothing may.
  const std::vector<LbnRange>& media_writes() const;
  const std::string& no_media_writes() const { return no_media_writes_; }

  std::uint64_t reference_lbn = 0;  // a block that can be read

 private:
  void switch_caches_off();
  void put_caches_back();
  bool reads_come_from_the_media();
  void find_way_to_media();
  scsi::Completion reach_reference();
  bool nothing_is_read_ahead();
  void tell_of_passed_caches();

  const Options& options_;
  scsi::Drive& drive_;
  mtbrc::Context& context_;
  Note note_;
  safety::SavedSettings found_;               // as they were when the run began
  std::vector<safety::SavedPage> set_pages_;  // as they are to be now
  std::uint64_t resets_seen_ = 0;             // when they were set
  bool has_set_ = false;                      // anything, so far
  Caches caches_ = Caches::any;
  bool looked_for_way_ = false;
  // The caches stay on whatever is set, and FUA passes them by.
  bool forces_reads_ = false, forces_writes_ = false, look_ahead_stays_on_ = false;
  std::string no_media_writes_;  // why no write waits for the media, where none does
  struct Outcomes {
    bool stopped = false, goes_on = false;
  };
  Outcomes scans_, power_conditions_, power_management_;
};

}  // namespace platter::extract

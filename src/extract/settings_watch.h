// The drive's settings while a stage goes on: a reset, or another host, takes them away between any
// two commands. Where that is reported, with caches off, they are made again at once, for all
// commands before the report were answered with them. Where it shows only in the pages, and with
// caches as found, whose tests have lost what they had set up, the stage begins anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "extract/run_settings.h"
#include "model/finding_kinds.h"
#include "mtbrc/context.h"
#include "scsi/drive.h"

namespace platter::extract {

// What a stage has measured is of no use any more. No Error: nothing but the run may catch it.
struct StageBroken {};

class SettingsWatch {
 public:
  SettingsWatch(RunSettings& settings, scsi::Drive& drive, mtbrc::Context& context,
                std::function<void(model::Noted)> note, std::function<void(std::size_t)> disturbed)
      : settings_(settings),
        drive_(drive),
        context_(context),
        note_(std::move(note)),
        disturbed_(std::move(disturbed)) {}

  // From now until end(). `may_break`: StageBroken may be thrown by a media access.
  void begin(const std::string& stage, Caches caches, bool may_break);
  void end() { active_ = false; }
  // After every command of the drive's.
  void after(const scsi::CommandRecord& done);

 private:
  void seen_to_hold();

  RunSettings& settings_;
  scsi::Drive& drive_;
  mtbrc::Context& context_;
  std::function<void(model::Noted)> note_;
  std::function<void(std::size_t from)> disturbed_;  // samples, from now on
  std::string stage_;
  Caches caches_ = Caches::any;
  bool active_ = false, may_break_ = false, at_work_ = false;
  std::uint64_t next_look_ = 0;        // in commands
  std::size_t samples_that_hold_ = 0;  // the first so many
};

}  // namespace platter::extract

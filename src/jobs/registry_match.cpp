#include "jobs/registry_match.h"

#include <fmt/core.h>

#include "extract/prospects.h"
#include "jobs/open_device.h"
#include "model/error.h"
#include "model/printable.h"
#include "model/say.h"
#include "scsi/guard.h"

namespace platter::jobs {
namespace {

registry::AttachedDrive ask(const std::string& name) {
  const auto device = open_device(name, {.changes = false});
  scsi::Guard guard(*device, {.settings = false, .writes = {}});
  scsi::Drive drive(guard, device->name());
  const model::Identity identity = drive.identify();
  return {identity, extract::nominal_speed(drive).rpm};
}

}  // namespace

Matched match_drive(const MatchRun& run, const std::string& device) {
  const registry::AttachedDrive drive = ask(device);
  const registry::Store store = run.folder.store();
  std::vector<registry::Match> matches = registry::match(store, drive, run.most);
  if (run.this_drive) {
    registry::require_recognizable(store, drive.identity, matches);
    std::erase_if(matches, [](const registry::Match& found) {
      return found.closeness != registry::Closeness::same_drive;
    });
  }
  return {model::printable(drive.identity.vendor + " " + drive.identity.product),
          std::move(matches)};
}

void require_match(const MatchRun& run, const std::string& device, const Matched& matched) {
  if (matched.matches.empty() && run.this_drive) {
    throw Error(ExitStatus::incomplete,
                fmt::format("{}: no published model is of this very drive ({}); platter "
                            "characterize makes one",
                            device, matched.who));
  }
  if (matched.matches.empty()) {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: no published model is of {} or has its block size; platter "
                            "characterize makes one",
                            device, matched.who));
  }
  if (matched.matches.front().closeness != registry::Closeness::same_drive) {
    model::say(
        "platter: no model is of this very drive ({}); another drive of one product has "
        "other zones and defects\n",
        matched.who);
  }
}

}  // namespace platter::jobs

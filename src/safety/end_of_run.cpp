#include "safety/end_of_run.h"

#include <fmt/core.h>

#include "model/drive_mark.h"
#include "model/error.h"
#include "safety/restore.h"
#include "scsi/drive.h"

namespace platter::safety {
namespace {

std::string advice(const std::string& trouble, const Journal& journal) {
  return fmt::format("{}; what it held is in the journal: run platter restore {}", trouble,
                     journal.path());
}

}  // namespace

EndOfRun check_written(scsi::Device& device, const model::Identity& identity,
                       const Journal& journal, const MediaCheckOptions& options) {
  EndOfRun end;
  end.media.past = Past::fua;  // of no blocks
  if (journal.contents().empty()) return end;
  try {
    end.media = check_media(device, identity, journal.contents(), options);
    end.fact = in_words(end.media, device.name());
    if (!end.fact.empty()) end.trouble = advice(end.fact, journal);
  } catch (const Error& error) {
    end.media = {};
    end.fact = fmt::format("what was written, {}, could not be read back",
                           in_few_words(journal.contents().runs(), "the journal"));
    end.why = error.what();
    end.trouble = advice(fmt::format("{} ({})", end.fact, end.why), journal);
  }
  return end;
}

EndOfRun end_run(scsi::Device& device, const model::Identity& identity, Journal& journal) {
  EndOfRun end = check_written(device, identity, journal);
  try {
    scsi::Guard guard(device, {});
    scsi::Drive drive(guard, device.name());
    if (!model::same_drive(drive.identify(), identity) ||
        !put_settings_back(drive, journal.settings()))
      throw Error(ExitStatus::drive_error, device.name() + " does not take its own settings back");
  } catch (const Error& error) {
    if (end.trouble.empty())
      end.trouble = fmt::format(
          "{}; the settings as they were are in the journal: run platter restore {}", error.what(),
          journal.path());
  }
  if (end.well()) journal.finish();
  return end;
}

}  // namespace platter::safety

#include "safety/end_of_run.h"

#include <fmt/core.h>

#include "identity/drive_mark.h"
#include "model/error.h"
#include "safety/restore.h"
#include "scsi/drive.h"

namespace platter::safety {
namespace {

// A run has one write outstanding, or has journaled all its blocks before the first one: what fails
// tears the physical block under the head, and hardly ever more than a few behind it. Restoring
// begins later, and perhaps on another drive: there nothing is taken for torn.
constexpr std::uint64_t kMayBeTorn = 4;

std::string advice(const std::string& trouble, const Journal& journal) {
  return fmt::format("{}; what it held is in the journal: run platter restore {}", trouble,
                     journal.path());
}

std::string advice_for_another_drive(const std::string& trouble, const Journal& journal) {
  return fmt::format(
      "{}; what the other one held, its blocks and its settings, is in the journal: run platter "
      "restore {} when that drive is there again",
      trouble, journal.path());
}

}  // namespace

EndOfRun check_written(scsi::Device& device, const model::Identity& identity,
                       const Journal& journal, MediaCheckOptions options) {
  EndOfRun end;
  end.media.past = Past::fua;  // of no blocks
  if (journal.contents().empty()) return end;
  options.may_be_torn = kMayBeTorn;
  try {
    end.media = check_media(device, identity, journal.contents(), options);
    end.fact = in_words(end.media, device.name());
    if (!end.fact.empty())
      end.trouble = end.media.is_another_drive ? advice_for_another_drive(end.fact, journal)
                                               : advice(end.fact, journal);
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
  if (end.media.is_another_drive) return end;
  try {
    scsi::Guard guard(device, {});
    scsi::Drive drive(guard, device.name());
    if (!identity::same_drive(drive.identify(), identity) ||
        !put_settings_back(drive, journal.settings()))
      throw Error(ExitStatus::drive_error, device.name() + " does not take its own settings back");
  } catch (const Error& error) {
    if (end.trouble.empty())
      end.trouble = fmt::format(
          "{}; the settings as they were are in the journal: run platter restore {}", error.what(),
          journal.path());
  }
  if (end.well()) end.journal_stays = journal.finish();
  return end;
}

}  // namespace platter::safety

#include "safety/restore.h"

#include <fmt/core.h>

#include "identity/drive_mark.h"
#include "model/error.h"
#include "scsi/drive.h"

namespace platter::safety {
namespace {

void require_same_drive(const model::Identity& found, const JournalContents& journal,
                        const RestoreOptions& options) {
  const model::Identity& wanted = journal.identity;
  const bool has_serials = identity::can_be_told(found) && identity::can_be_told(wanted);
  model::Identity like_it = wanted;
  if (!has_serials) like_it.serial = found.serial;
  if (!identity::same_drive(found, like_it))
    throw Error(
        ExitStatus::refused,
        fmt::format(
            "the journal belongs to {} {} of {} blocks with {}, the device is {} {} of {} with {}; "
            "name the device of that drive",
            wanted.vendor, wanted.product, wanted.blocks, identity::serial_in_words(wanted),
            found.vendor, found.product, found.blocks, identity::serial_in_words(found)));
  if (!has_serials && !options.is_the_drive)
    throw Error(
        ExitStatus::refused,
        fmt::format("whether this {} {} is the drive of the journal cannot be told, for the {} has "
                    "no serial "
                    "number; if you know that it is, name it with --device and say --yes",
                    found.vendor, found.product, found.serial.empty() ? "drive" : "journal"));
}

// Whatever the serial number says, and whoever says that it is the drive. Who has rewritten it
// since needs no permission to go on: there is nothing left to put back.
void require_no_other_contents(const MediaCheck& media, const std::string& device) {
  if (!media.is_another_drive) return;
  const std::uint64_t differ = blocks_of(media.differ);
  throw Error(
      ExitStatus::refused,
      fmt::format(
          "{} of {} journaled blocks that can be read hold something else{}: this is not the drive "
          "of the journal, or it was rewritten since ({} on {}); nothing was written, the journal "
          "is kept: name the right drive with --device, or if this is the one, nothing is left to "
          "put back: power it off and on, which brings its own settings back, and remove the "
          "journal by hand",
          differ, media.readable,
          2 * differ > media.readable ? ""
                                      : ", and what is the same in the others may be on any drive",
          in_few_words(media.differ, "the journal"), device));
}

void require_all_well(const safety::Restored& done, const std::string& device,
                      const LeftJournal& left) {
  std::string trouble = in_words(done.media, device);
  if (!done.media.differ.empty())
    trouble +=
        ": somebody has written there since, or a write was torn; they were left alone, put the "
        "journal's "
        "data back with platter restore --overwrite";
  const bool only_unknown = done.media.past == safety::Past::nothing_known &&
                            done.media.differ.empty() && done.media.lost.empty();
  if (only_unknown)
    trouble +=
        "; all of it reads as it should: power the drive off and on and run this again, and if it "
        "still "
        "does, remove the journal by hand";
  if (!done.settings)
    trouble += fmt::format(
        "{}{} does not take the settings of the journal back: power it off and on, which "
        "brings its own back, and try again",
        trouble.empty() ? "" : "; ", device);
  if (const std::string damage = damage_in_words(left.contents); !damage.empty())
    trouble += fmt::format(
        "{}{} blocks are as they were, but of the journal {}, and what these blocks held is not "
        "known: look at them, and remove the journal by hand when nothing is left to do",
        trouble.empty() ? "" : "; ", done.media.intact + blocks_of(done.media.put_back), damage);
  if (!trouble.empty())
    throw Error(ExitStatus::drive_error, fmt::format("{}; {} is kept", trouble, left.path));
}

}  // namespace

// The features of an ATA drive before the pages: its caching page shows what SET FEATURES made of
// it, and may not be set itself.
bool put_settings_back(scsi::Drive& drive, const SavedSettings& settings) {
  bool back = !settings.ata || drive.settings().restore_ata(*settings.ata);
  for (const SavedPage& page : settings.pages)
    if (!drive.settings().shows(page) && !drive.settings().restore_page(page)) back = false;
  drive.settings().keep();
  return back;
}

Restored restore(scsi::Device& device, const JournalContents& journal,
                 const RestoreOptions& options) {
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, device.name());
  const model::Identity found = drive.identify();
  require_same_drive(found, journal, options);
  Restored done;
  done.media.past = Past::fua;  // of no blocks
  // All of them are compared before anything is written or set. Nothing beside the journal's blocks
  // is read: the run may have been told to skip that.
  if (!journal.blocks.empty())
    done.media = check_media(device, found, journal.blocks,
                             {.overwrite = options.overwrite, .read_along = false});
  require_no_other_contents(done.media, device.name());
  done.settings = put_settings_back(drive, journal.settings);
  return done;
}

Restored put_right(scsi::Device& device, const LeftJournal& left, const RestoreOptions& options) {
  const Restored done = restore(device, left.contents, options);
  require_all_well(done, device.name(), left);
  if (const auto why = remove_journal(left.path))
    throw Error(ExitStatus::output, "all blocks and settings are as they were, but " + *why);
  return done;
}

}  // namespace platter::safety

#include "extract/restore.h"

#include <fmt/core.h>

#include "model/error.h"
#include "scsi/commands.h"
#include "scsi/drive.h"

namespace platter::extract {
namespace {

std::vector<LbnRange> ranges_of(const JournalContents& journal) {
  std::vector<LbnRange> ranges;
  for (const auto& [lbn, bytes] : journal.sectors)
    ranges.push_back({lbn, lbn + bytes.size() / journal.identity.block_bytes - 1});
  return ranges;
}

void require_same_drive(const model::Identity& found, const JournalContents& journal) {
  const model::Identity& wanted = journal.identity;
  if (found.vendor == wanted.vendor && found.product == wanted.product &&
      found.serial == wanted.serial && found.blocks == wanted.blocks &&
      found.block_bytes == wanted.block_bytes)
    return;
  throw Error(ExitStatus::refused,
              fmt::format("the journal belongs to {} {} with serial number {}, the device is {} {} "
                          "with {}; name the device of that drive",
                          wanted.vendor, wanted.product, wanted.serial, found.vendor, found.product,
                          found.serial));
}

}  // namespace

Restored restore(scsi::Device& device, const JournalContents& journal, bool overwrite) {
  scsi::Guard guard(device, scsi::Permission{true, ranges_of(journal)});
  scsi::Drive drive(guard, device.name());
  require_same_drive(drive.identify(), journal);
  Restored done;
  for (const auto& [lbn, bytes] : journal.sectors) {
    const auto blocks = static_cast<std::uint32_t>(bytes.size() / drive.block_bytes());
    bool readable = true, intact = false;
    try {
      intact = drive.read(lbn, blocks, true, true).data == bytes;
    } catch (const scsi::DriveError& error) {
      if (!error.medium()) throw;
      readable = false;  // a torn sector is one that cannot be read
    }
    if (intact) {
      ++done.intact;
      continue;
    }
    if (readable && !overwrite) {
      done.changed.push_back(lbn);
      continue;
    }
    drive.put_back(lbn, bytes);
    ++done.rewritten;
  }
  done.settings = !journal.pages.empty();
  for (const SavedPage& page : journal.pages)
    if (!drive.shows(page) && !drive.restore_page(page)) done.settings = false;
  return done;
}

}  // namespace platter::extract

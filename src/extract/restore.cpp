#include "extract/restore.h"

#include <fmt/core.h>

#include <algorithm>

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
  if (same_drive(found, wanted)) return;
  throw Error(ExitStatus::refused,
              fmt::format("the journal belongs to {} {} with serial number {}, the device is {} {} "
                          "with {}; name the device of that drive",
                          wanted.vendor, wanted.product, wanted.serial, found.vendor, found.product,
                          found.serial));
}

// Whether these sectors hold these bytes, read in pieces that the drive takes.
bool holds(scsi::Drive& drive, std::uint64_t lbn, const std::vector<std::uint8_t>& bytes,
           std::uint32_t most) {
  const auto blocks = static_cast<std::uint32_t>(bytes.size() / drive.block_bytes());
  auto at = bytes.begin();
  for (std::uint32_t i = 0; i < blocks; i += most) {
    const auto read = drive.read(lbn + i, std::min(most, blocks - i), true, true).data;
    const auto left = static_cast<std::size_t>(bytes.end() - at);
    if (read.size() > left || !std::equal(read.begin(), read.end(), at)) return false;
    at += static_cast<std::ptrdiff_t>(read.size());
  }
  return at == bytes.end();
}

}  // namespace

Restored restore(scsi::Device& device, const JournalContents& journal, bool overwrite) {
  scsi::Guard guard(device, scsi::Permission{true, ranges_of(journal)});
  scsi::Drive drive(guard, device.name());
  require_same_drive(drive.identify(), journal);
  const std::uint32_t most = drive.most_blocks();
  Restored done;
  for (const auto& [lbn, bytes] : journal.sectors) {
    const auto blocks = static_cast<std::uint32_t>(bytes.size() / drive.block_bytes());
    bool readable = true, intact = false;
    try {
      intact = holds(drive, lbn, bytes, std::min(blocks, most));
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
  const SavedSettings& settings = journal.settings;
  done.settings = !settings.pages.empty() || settings.ata;
  // Before the pages: the caching page of an ATA drive shows what SET FEATURES made of it, and may not be
  // set itself.
  if (settings.ata && !drive.restore_ata(*settings.ata)) done.settings = false;
  for (const SavedPage& page : settings.pages)
    if (!drive.shows(page) && !drive.restore_page(page)) done.settings = false;
  drive.keep_settings();
  return done;
}

}  // namespace platter::extract

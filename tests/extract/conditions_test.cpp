// What a drive does on its own is stopped while it is measured, and comes back: after a run, after
// a run that is broken off, and by the journal of one that was killed.
#include <algorithm>
#include <filesystem>

#include "catch.h"
#include "estimate/samples.h"
#include "extract/runs.h"
#include "safety/journal.h"
#include "safety/restore.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

using Page = std::vector<std::uint8_t>;

std::vector<Page> pages_of(scsi::Device& device) {
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, "the drive");
  drive.identify();
  std::vector<Page> pages;
  for (const auto code :
       {scsi::kCachingPage, scsi::kPowerConditionPage, scsi::kBackgroundControlPage})
    pages.push_back(
        drive.settings().mode_page(code.page, scsi::PageControl::current, code.subpage).value());
  return pages;
}

}  // namespace

TEST_CASE("scans and power conditions are off during a run, and as they were behind it") {
  const Folder folder;
  virtual_drive::VirtualDevice device(restless_drive());
  const auto before = pages_of(device);
  REQUIRE(before[1][3] == 0x02);
  REQUIRE(before[2][4] == 0x01);
  auto options = options_in(folder);
  int looked = 0;
  options.progress = [&](const std::string& stage, double, double) {
    if (stage != "overheads" && stage != "cache") return;
    if (++looked % 50 != 0) return;
    const auto now = pages_of(device);
    CHECK(now[1][3] == 0);
    CHECK(now[2][4] == 0);
  };
  const Run run = characterize(device, options);
  CHECK(looked >= 50);
  CHECK(pages_of(device) == before);
  CHECK(noted(run, "background scans (mode page 1Ch/01h) were stopped"));
  CHECK(noted(run, "power conditions (mode page 1Ah) were stopped"));
  CHECK(std::filesystem::is_empty(folder.path));
  // Of the reads after a rest none waited for a scan or for the spindle; a turn takes 11 ms.
  const auto& samples = run.record.samples;
  CHECK(std::ranges::none_of(samples, [](const estimate::Sample& sample) {
    return sample.completed_ns - sample.issued_ns > 300 * kMillisecond;
  }));
  CHECK(run.model.rotation.period.error.value() < 1e-5 * run.model.rotation.period.value.value());
}

TEST_CASE("a run that is broken off leaves the pages as they were") {
  const Folder folder;
  virtual_drive::VirtualDevice device(restless_drive());
  const auto before = pages_of(device);
  auto options = options_in(folder);
  int asked = 0;
  options.interrupted = [&] { return ++asked > 500; };
  CHECK_THROWS_AS(characterize(device, options), Error);
  CHECK(pages_of(device) == before);
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("the journal of a killed run brings all pages back, and asks nothing of those that are") {
  const Folder folder;
  virtual_drive::VirtualDevice device(restless_drive());
  const auto before = pages_of(device);
  model::Identity identity;
  {
    scsi::Guard guard(device, {});
    scsi::Drive drive(guard, "the drive");
    identity = drive.identify();
  }
  const safety::Journal journal(folder.path.string(), "the drive", identity,
                                {before, std::nullopt});
  for (auto page : before) {  // as the killed run left them
    page[0] &= 0x7F;
    if (page[0] == 0x08) page[2] ^= 0x01;
    if (page[0] == 0x1A) page[3] = 0;
    if (page[0] == 0x5C) page[4] = 0;
    Page list(4, 0);
    list.insert(list.end(), page.begin(), page.end());
    scsi::Command select;
    select.cdb = {0x15, 0x10, 0, 0, static_cast<std::uint8_t>(list.size())};
    select.cdb_length = 6;
    select.direction = scsi::Direction::to_device;
    select.transfer_length = static_cast<std::uint32_t>(list.size());
    select.data = list;
    REQUIRE(device.execute(select).value().status == scsi::Status::good);
  }
  REQUIRE(pages_of(device) != before);
  const safety::JournalContents contents = safety::read_journal(journal.path());
  REQUIRE(contents.settings.pages == before);
  CHECK(safety::restore(device, contents).settings);
  CHECK(pages_of(device) == before);
  CHECK(safety::restore(device, contents).settings);
}

}  // namespace platter::extract

#include "scsi/inspection.h"

#include <algorithm>
#include <array>

namespace platter::scsi {
namespace {

constexpr std::array<std::uint8_t, 3> kPages{0x03, 0x04, 0x08};

bool seeks(Drive& drive) {
  try {
    drive.seek(0);
    return true;
  } catch (const DriveError& error) {
    if (error.status() == ExitStatus::unsupported) return false;
    throw;
  }
}

std::optional<std::size_t> count_defects(Drive& drive, bool primary, bool grown) {
  const auto list = drive.addresses().defects(primary, grown);
  return list ? std::optional<std::size_t>(list->places.size()) : std::nullopt;
}

ModePageViews all_views(Drive& drive, std::uint8_t page) {
  return {drive.settings().mode_page(page, PageControl::current),
          drive.settings().mode_page(page, PageControl::changeable),
          drive.settings().mode_page(page, PageControl::defaults),
          drive.settings().mode_page(page, PageControl::saved)};
}

RoundTrip measure_round_trip(Drive& drive, std::uint32_t commands) {
  drive.test_unit_ready();  // the first one may be slow
  std::vector<Nanoseconds> times(commands);
  for (auto& time : times) time = drive.test_unit_ready().response_ns();
  if (times.empty()) return {};
  std::sort(times.begin(), times.end());
  return {commands,     times.front(),   times[times.size() / 2], times[times.size() * 99 / 100],
          times.back(), std::move(times)};
}

// Of a cache that stays on.
std::string reads_without_cache(ReadsReach reach) {
  switch (reach) {
    case ReadsReach::as_they_are:
      return "reads came from the media all the same, and are sent as they are";
    case ReadsReach::with_fua:
      return "the drive obeys FUA (tried), and reads are sent with it";
    case ReadsReach::by_verify:
      return "FUA does nothing to its reads (tried), and VERIFY is sent in their place";
    case ReadsReach::nothing:
      return "neither FUA nor VERIFY was seen to reach the media (tried): no block is read twice, "
             "rotation and seeks have larger errors, and writes are not timed";
    case ReadsReach::not_tried:
      break;
  }
  return "reads are sent with FUA, or VERIFY in their place, if a run finds that one reaches the "
         "media";
}

}  // namespace

Inspection inspect(Drive& drive, std::uint32_t round_trips) {
  Inspection found;
  found.identity = drive.identify();
  found.inquiry = drive.inquiry();
  if (const auto list = drive.vpd_page(0x00)) found.vpd_pages = decode_vpd_list(*list);
  const auto has = [&](std::uint8_t page) {
    return std::ranges::find(found.vpd_pages, page) != found.vpd_pages.end();
  };
  for (const std::uint8_t page : found.vpd_pages)
    if (auto content = drive.vpd_page(page)) found.vpd_contents[page] = std::move(*content);
  const auto vpd = [&](std::uint8_t page) -> std::optional<std::vector<std::uint8_t>> {
    const auto content = found.vpd_contents.find(page);
    if (content == found.vpd_contents.end()) return std::nullopt;
    return content->second;
  };
  if (const auto page = vpd(0x83)) found.designators = decode_designators(*page);
  if (const auto page = vpd(0xB0)) found.limits = decode_block_limits(*page);
  if (const auto page = vpd(0xB1)) found.characteristics = decode_characteristics(*page);
  found.capacity = drive.capacity();
  if (const auto unmapped = drive.unmapped()) {
    std::uint64_t blocks = 0;
    for (const LbnRange& range : *unmapped) blocks += range.last - range.first + 1;
    found.unmapped_share = static_cast<double>(blocks) / static_cast<double>(drive.blocks());
  }
  if (has(0x89)) {
    found.ata = drive.settings().ata();
    if (found.ata) found.power_mode = drive.settings().ata_power_mode();
  }
  found.first_block = drive.addresses().translate(0);
  if (found.first_block) {
    found.last_block = drive.addresses().translate(drive.blocks() - 1);
    found.translates_back = drive.addresses().translate_back(found.first_block->places.front()) ==
                            PlaceContent{0};
  }
  found.primary_defects = count_defects(drive, true, false);
  found.grown_defects = count_defects(drive, false, true);
  found.seeks = seeks(drive);
  for (const auto page : kPages)
    if (auto views = all_views(drive, page); views.current)
      found.mode_pages[page] = std::move(views);
  found.round_trip = measure_round_trip(drive, round_trips);
  return found;
}

Inspection::CanChange Inspection::can_change(bool CachePage::*bit, bool has_feature) const {
  const auto page = mode_pages.find(0x08);
  if (page != mode_pages.end() && page->second.changeable)
    if (const auto mask = decode_cache_page(*page->second.changeable); mask && (*mask).*bit)
      return CanChange::by_page;
  return has_feature ? CanChange::by_features : CanChange::no;
}

std::vector<std::string> Inspection::complaints() const {
  std::vector<std::string> found;
  if (!first_block)
    found.push_back(
        "the drive does not translate addresses: rotation, cache, hits, bus and queue can be "
        "measured, its mechanics cannot");
  else if (!translates_back)
    found.push_back(
        "the drive translates LBNs to places, but not back: spares that hold no block may be "
        "missed");
  if (!primary_defects)
    found.push_back("the drive gives no defect list: defects are searched for, which takes longer");
  if (!seeks)
    found.push_back("the drive has no SEEK command: seeks are timed by reads, which takes longer");
  if (ata || read_cache_can_change() == CanChange::no || read_ahead_can_change() == CanChange::no)
    found.push_back(std::string(ata ? "it is an ATA drive: its read cache cannot be switched off"
                                    : "mode page 08h cannot switch off read cache or read-ahead") +
                    "; " + reads_without_cache(reads_reach));
  if (write_cache_can_change() == CanChange::no)
    found.push_back(
        "mode page 08h cannot switch off the write cache: writes are sent with FUA, if the drive "
        "obeys it");
  if (characteristics && characteristics->rotation_rate == 1)
    found.push_back("the drive says that it does not rotate: there are no mechanics to measure");
  return found;
}

}  // namespace platter::scsi

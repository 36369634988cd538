#include "scsi/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "model/zones.h"
#include "scsi/reply.h"

namespace platter::scsi {
namespace {

constexpr std::array<std::uint8_t, 3> kPages{0x03, 0x04, 0x08};

// Between the ends of the drive; a stroke takes more than this on every drive that has an arm.
SeekCommand seek_by_effect(Drive& drive) {
  constexpr Nanoseconds kShortestStroke = 2 * kMillisecond;
  constexpr int kStrokes = 5;  // an odd number: their median
  const std::vector<LbnRange>& left_out = drive.left_out();
  const bool last_is = left_out.empty() || left_out.back().last + 1 < drive.blocks();
  const std::uint64_t end = last_is ? drive.blocks() : left_out.back().first;
  if (end < 2) return SeekCommand::refused;
  const std::uint64_t last = std::min(end, kTenByteBlocks) - 1;
  std::vector<Nanoseconds> times;
  try {
    drive.seek(0);
    for (int i = 0; i < kStrokes; ++i)
      times.push_back(drive.seek(i % 2 == 0 ? last : 0).response_ns());
  } catch (const DriveError& error) {
    if (!error.refused()) throw;
    return SeekCommand::refused;
  }
  std::ranges::sort(times);
  return times[kStrokes / 2] >= kShortestStroke ? SeekCommand::waits_for_arm : SeekCommand::at_once;
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

// Those that the list names, and those that are of use here, which a list may leave out.
void ask_for_pages(Drive& drive, Inspection& found) {
  constexpr std::array<std::uint8_t, 8> kOfUse{0x80, 0x83, 0x89, 0xB0, 0xB1, 0xB2, 0xB6, 0xB9};
  if (const auto list = drive.vpd_page(0x00)) found.vpd_pages = decode_vpd_list(*list);
  std::set<std::uint8_t> pages(found.vpd_pages.begin(), found.vpd_pages.end());
  pages.insert(kOfUse.begin(), kOfUse.end());
  for (const std::uint8_t page : pages)
    if (auto content = drive.vpd_page(page)) found.vpd_contents[page] = std::move(*content);
  std::vector<std::uint8_t> missing = found.vpd_pages;
  std::erase_if(missing, [&](std::uint8_t page) { return found.vpd_contents.contains(page); });
  if (missing.empty()) return;
  const auto in_words = [](const std::vector<std::uint8_t>& codes) {
    return fmt::format("{:02X}h", fmt::join(codes, "h "));
  };
  found.claims.push_back({identity::Subject::vpd_pages,
                          {{"VPD page 00h", in_words(found.vpd_pages)},
                           {"INQUIRY of them", "no " + in_words(missing)}},
                          {}});
  found.doubts.push_back(found.claims.back().doubt());
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

void note_what_was_said(const Drive& drive, Inspection& found) {
  found.recovered = drive.said().recovered;
  found.warnings = drive.said().warnings;
  found.odd_refusals = drive.odd_refusals();
  for (const auto& [words, count] : found.warnings) found.identity.failure_predicted = words;
}

Inspection inspect(Drive& drive, std::uint32_t round_trips) {
  Inspection found;
  drive.identify();
  const bool host_managed = drive.is_host_managed();
  if (!host_managed) drive.confirm_capacity();
  found.identity = drive.identify();
  found.inquiry = drive.told().inquiry;
  const SelfDescription described = describe(drive);
  described.into(found.identity);
  found.claims = described.claims;
  const std::vector<LbnRange> unwritten = model::unwritten_in_zones(found.identity);
  drive.leave_out(unwritten);
  drive.skip(unwritten);
  drive.keep_to_zones(found.identity);
  found.rotation = described.rotation;
  found.doubts = drive.who().doubts;
  for (const model::Noted& doubt : described.doubts()) found.doubts.push_back(doubt.text());
  ask_for_pages(drive, found);
  const auto vpd = [&](std::uint8_t page) -> std::optional<std::vector<std::uint8_t>> {
    const auto content = found.vpd_contents.find(page);
    if (content == found.vpd_contents.end()) return std::nullopt;
    return content->second;
  };
  if (const auto page = vpd(0x83)) found.designators = decode_designators(*page);
  if (const auto page = vpd(0xB0)) found.limits = decode_block_limits(*page);
  if (const auto page = vpd(0xB1)) found.characteristics = decode_characteristics(*page);
  found.capacity = drive.capacity();
  const bool readable = found.may_be_read();
  if (const auto unmapped = !host_managed ? drive.unmapped() : std::nullopt) {
    std::uint64_t blocks = 0;
    for (const LbnRange& range : *unmapped) blocks += range.last - range.first + 1;
    found.unmapped_share = static_cast<double>(blocks) / static_cast<double>(drive.blocks());
  }
  found.ata = drive.settings().ata();
  if (found.ata) found.power_mode = drive.settings().ata_power_mode();
  if (readable) found.first_block = drive.addresses().translate(0);
  if (found.first_block) {
    found.last_block = drive.addresses().translate(drive.blocks() - 1);
    found.translates_back = drive.addresses().translate_back(found.first_block->places.front()) ==
                            PlaceContent{0};
  }
  found.primary_defects = count_defects(drive, true, false);
  found.grown_defects = count_defects(drive, false, true);
  if (readable) found.seek = seek_by_effect(drive);
  for (const auto page : kPages)
    if (auto views = all_views(drive, page); views.current)
      found.mode_pages[page] = std::move(views);
  found.round_trip = measure_round_trip(drive, round_trips);
  note_what_was_said(drive, found);
  return found;
}

Inspection::CanChange Inspection::can_change(bool CachePage::*bit, bool has_feature) const {
  const auto page = mode_pages.find(0x08);
  if (page != mode_pages.end() && page->second.changeable)
    if (const auto mask = decode_cache_page(*page->second.changeable); mask && (*mask).*bit)
      return CanChange::by_page;
  return has_feature ? CanChange::by_features : CanChange::no;
}

bool Inspection::may_be_read() const {
  if (identity.zone_runs.empty()) return identity.zones != "host-managed";
  return model::unwritten_share(identity) <= model::kMostUnwritten;
}

std::vector<std::string> Inspection::complaints() const {
  std::vector<std::string> found;
  if (!may_be_read())
    found.push_back(
        identity.zone_runs.empty()
            ? "the disk has host-managed zones (peripheral type 14h) and does not tell of them: "
              "which blocks can be read is not known, and so it cannot be measured"
            : fmt::format("{:.3g} % of the disk's blocks lie above the write pointers of their "
                          "zones ({}): too little is written for a measurement",
                          100 * model::unwritten_share(identity), identity.zones));
  for (const auto& [words, count] : warnings)
    found.push_back(fmt::format("the drive warns of itself, {} times: {}; {}", count, words,
                                advice_on_warning(words)));
  for (const auto& [words, count] : recovered)
    found.push_back(fmt::format("the drive recovered {} replies by itself ({}), which took longer",
                                count, words));
  std::ranges::copy(doubts, std::back_inserter(found));
  for (const auto& [command, words] : odd_refusals)
    found.push_back(
        fmt::format("{} counts as not supported: the drive answers it with {}", command, words));
  if (!may_be_read()) return found;  // nothing that reaches the media was asked
  if (!first_block)
    found.push_back(
        "the drive does not translate addresses: its map is made by timed reads, which takes "
        "longer");
  else if (!translates_back)
    found.push_back(
        "the drive translates LBNs to places, but not back: spares that hold no block may be "
        "missed");
  if (!primary_defects)
    found.push_back("the drive gives no defect list: defects are searched for, which takes longer");
  if (seek != SeekCommand::waits_for_arm)
    found.push_back(fmt::format("{}: seeks are timed by reads, which takes longer",
                                seek == SeekCommand::refused
                                    ? "the drive has no SEEK command"
                                    : "the drive answers SEEK before the arm is there"));
  if (ata || read_cache_can_change() == CanChange::no || read_ahead_can_change() == CanChange::no)
    found.push_back(std::string(ata ? "it is an ATA drive: its read cache cannot be switched off"
                                    : "mode page 08h cannot switch off read cache or read-ahead") +
                    "; " + reads_without_cache(reads_reach));
  if (write_cache_can_change() == CanChange::no)
    found.push_back(
        "mode page 08h cannot switch off the write cache: writes are sent with FUA, if the drive "
        "obeys it");
  if (rotation && rotation->rpm == kDoesNotRotate)
    found.push_back("the drive says that it does not rotate: there are no mechanics to measure");
  return found;
}

}  // namespace platter::scsi

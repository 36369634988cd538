#include <fmt/core.h>
#include <fmt/format.h>

#include <string_view>

#include "estimate/passages.h"
#include "jobs/inspected.h"
#include "model/zones.h"
#include "report/wrapped.h"
#include "safety/saved_settings.h"

namespace platter::jobs {
namespace {

using scsi::Inspection;
using CanChange = Inspection::CanChange;

constexpr std::size_t kIndent = 24;

std::string entry(std::string_view what, const std::string& found) {
  return report::wrapped(fmt::format("  {:<22}{}", what, found), kIndent);
}

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

std::string where(const std::optional<scsi::Translation>& translation) {
  if (!translation) return "unknown";
  const auto& p = translation->places.front();
  const bool bytes = translation->format == scsi::AddressFormat::bytes_from_index;
  return fmt::format("cylinder {}, head {}, {} {}", p.cylinder, p.head,
                     bytes ? "bytes from the index" : "sector", p.sector);
}

std::string ata_line(const scsi::AtaSettings& ata, const std::optional<std::uint8_t>& power_mode) {
  const auto on = [](const std::optional<bool>& value) {
    return value ? *value ? "on" : "off" : "not there";
  };
  return entry("ATA drive",
               fmt::format("write cache {}, look-ahead {}, power management {}{}",
                           on(ata.write_cache), on(ata.look_ahead),
                           !ata.power_level        ? "not there"
                           : *ata.power_level == 0 ? "off"
                                                   : fmt::format("{:02X}h", *ata.power_level),
                           power_mode ? fmt::format(", power mode {:02X}h", *power_mode) : ""));
}

std::string identity_lines(const Inspected& all) {
  const Inspection& found = all.drive;
  const auto& id = found.identity;
  std::string text = fmt::format("{}: {} {} revision {}\n", all.device, id.vendor, id.product,
                                 id.revision);
  if (!id.bridge.empty()) text += entry("behind the bridge", id.bridge);
  text += entry("serial number", id.serial.empty()
                                     ? "none that tells this drive from others"
                                     : fmt::format("{} (by {})", id.serial, id.serial_by));
  for (const auto& name : found.designators) text += entry("name", name);
  text += entry("capacity",
                fmt::format("{} blocks of {} bytes ({:.3f} GB)", id.blocks, id.block_bytes,
                            static_cast<double>(id.blocks) * id.block_bytes / 1e9));
  text += entry("physical block", fmt::format("{} bytes", id.physical_block_bytes));
  text += entry("VPD pages", found.vpd_pages.empty()
                                 ? "none"
                                 : fmt::format("{:02X}h", fmt::join(found.vpd_pages, "h ")));
  if (found.rotation && found.rotation->rpm != scsi::kDoesNotRotate)
    text += entry("nominal rotation", fmt::format("{} rpm", found.rotation->rpm));
  if (found.limits && found.limits->max_transfer_blocks > 0)
    text += entry("one command",
                  fmt::format("at most {} blocks", found.limits->max_transfer_blocks));
  if (found.capacity.protection_type > 0)
    text += entry("protection",
                  fmt::format("information of type {}", found.capacity.protection_type));
  if (!id.zone_runs.empty()) text += entry("zones", model::zones_in_words(id));
  if (found.unmapped_share)
    text += entry("not on the media",
                  fmt::format("{:.3g} % of the blocks", 100 * *found.unmapped_share));
  if (found.ata) text += ata_line(*found.ata, found.power_mode);
  return text;
}

std::string cache_state(const Inspection& found) {
  const auto page = found.mode_pages.find(0x08);
  if (page == found.mode_pages.end()) return "no mode page 08h";
  const auto now = scsi::decode_cache_page(*page->second.current);
  if (!now) return "mode page 08h is too short";
  const auto on = [](bool value) { return value ? "on" : "off"; };
  return fmt::format("write-back {}, read {}, read-ahead {}", on(now->write_cache_enabled),
                     on(!now->read_cache_disabled), on(!now->read_ahead_disabled));
}

std::string capability_lines(const Inspected& all) {
  const Inspection& found = all.drive;
  const auto count = [](const std::optional<std::size_t>& defects) {
    return defects ? fmt::format("{}", *defects) : std::string("not shown");
  };
  const auto how = [](CanChange can) {
    return can == CanChange::no ? "no" : can == CanChange::by_page ? "yes" : "yes (SET FEATURES)";
  };
  std::string text = "capabilities\n";
  const bool unread = !found.may_be_read();  // nothing of it is accessed
  text += entry("address translation",
                unread ? "not asked" : yes_or_no(found.first_block.has_value()));
  if (found.first_block) {
    text += entry("  LBN 0", where(found.first_block));
    text += entry("  last LBN", where(found.last_block));
    text += entry("  and back", yes_or_no(found.translates_back));
  }
  text += entry("defects", fmt::format("primary {}, grown {}", count(found.primary_defects),
                                       count(found.grown_defects)));
  text += entry("SEEK(10)", unread ? "not asked" : in_words(found.seek));
  text += entry("caches now", cache_state(found));
  text += entry(
      "cache can be switched",
      fmt::format("write {}, read {}, read-ahead {}", how(found.write_cache_can_change()),
                  how(found.read_cache_can_change()), how(found.read_ahead_can_change())));
  text += entry("reads reach the media", in_words(found.reads_reach));
  text += entry("commands at once", fmt::format("{}", all.most_outstanding));
  for (const auto& [code, views] : found.mode_pages) {
    std::vector<std::string> values;
    for (const PageValue& value : page_values(code, *views.current))
      values.push_back(value.is_flag ? fmt::format("{} {}", value.name, yes_or_no(value.value != 0))
                                     : fmt::format("{} {}", value.name, value.value));
    text += entry(fmt::format("mode page {:02X}h", code),
                  fmt::format("{}", fmt::join(values, ", ")));
  }
  return text;
}

// What the drive says of itself, and who says so.
std::string claim_lines(const Inspection& found) {
  std::string text = "claims\n";
  for (const identity::Claim& claim : found.claims) {
    std::vector<std::string> said;
    for (const identity::Witness& witness : claim.witnesses)
      said.push_back(fmt::format("{} ({})", witness.says, witness.by));
    std::string line = fmt::format("{}", fmt::join(said, ", "));
    if (claim.contradicted())
      line += claim.taken.empty() ? ": they disagree, none is taken"
                                  : fmt::format(": they disagree, {} is taken", claim.taken);
    text += entry(identity::row_of(claim.subject).what, line);
  }
  return text;
}

std::string raw_lines(const Inspection& found) {
  std::string text;
  const auto show = [&](std::string_view what, const auto& bytes) {
    text += fmt::format("  {:<22}{}\n", what, bytes ? safety::hex(*bytes) : "not offered");
  };
  for (const auto& [code, views] : found.mode_pages) {
    text += fmt::format("mode page {:02X}h, raw\n", code);
    show("current", views.current);
    show("changeable", views.changeable);
    show("defaults", views.defaults);
    show("saved", views.saved);
  }
  if (!found.vpd_contents.empty()) text += "VPD pages, raw\n";
  for (const auto& [code, bytes] : found.vpd_contents)
    text += fmt::format("  {:<22}{}\n", fmt::format("{:02X}h", code), safety::hex(bytes));
  return text;
}

std::string host_lines(const Inspected& all) {
  std::string text = "host\n" + entry("kernel", all.host.kernel);
  for (const auto* checks : {&all.host_checks, &all.path_checks})
    for (const host::Check& check : *checks) text += entry(check.what, check.found);
  const auto to_us = [](Nanoseconds ns) { return static_cast<double>(ns) / 1e3; };
  const auto& trip = all.drive.round_trip;
  text += entry(
      "round trip",
      fmt::format("of TEST UNIT READY, us: minimum {:.1f}, median {:.1f}, p99 {:.1f}, maximum "
                  "{:.1f} ({} commands)",
                  to_us(trip.minimum_ns), to_us(trip.median_ns), to_us(trip.p99_ns),
                  to_us(trip.maximum_ns), trip.commands));
  if (const auto host = all.delay())
    text += entry("noise", noise::enough_for(*host, all.period_ms,
                                             estimate::Passages::kMostPull_rev * all.period_ms));
  return text;
}

std::string advice_lines(std::string_view whose, const std::vector<std::string>& sentences) {
  std::string text = fmt::format(
      "fitness of the {}: {}\n", whose,
      sentences.empty() ? "good" : "these could be better, or will be missed");
  for (const auto& sentence : sentences) text += report::wrapped("  - " + sentence, 4);
  return text;
}

}  // namespace

std::string inspection_text(const Inspected& all, bool raw) {
  std::string text = identity_lines(all) + capability_lines(all);
  if (raw) text += raw_lines(all.drive);
  text += claim_lines(all.drive);
  text += host_lines(all);
  text += advice_lines("drive", all.drive.complaints());
  text += advice_lines("host", all.advice_for_host());
  if (all.expected_time)
    text += report::wrapped(
        fmt::format(
            "platter characterize takes about {:.0f} s of the drive's time; that rests on {}",
            all.expected_time->seconds, all.expected_time->rests_on),
        2);
  else
    text += "platter characterize does not take this drive\n";
  return text;
}

}  // namespace platter::jobs

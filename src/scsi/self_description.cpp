#include "scsi/self_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "identity/who.h"
#include "scsi/block_pages.h"
#include "scsi/drive_link.h"
#include "scsi/identify_device.h"
#include "scsi/physical_elements.h"
#include "scsi/positioning_ranges.h"
#include "scsi/power_conditions.h"
#include "scsi/zones.h"

namespace platter::scsi {
namespace {

using identity::Claim;
using identity::Subject;

constexpr const char *kCapacity10 = "READ CAPACITY(10)", *kCapacity16 = "READ CAPACITY(16)",
                     *kIdentify = "IDENTIFY DEVICE", *kInquiry = "INQUIRY";

std::string page_name(std::uint8_t page) { return fmt::format("VPD page {:02X}h", page); }

class Claims {
 public:
  void say(Subject subject, std::string by, std::string says) {
    of(subject).witnesses.push_back({std::move(by), std::move(says)});
  }
  void take(Subject subject, std::string taken) { of(subject).taken = std::move(taken); }

  std::vector<Claim> in_order() {
    std::vector<Claim> told;
    for (const auto& row : identity::claim_table())
      for (Claim& claim : all_)
        if (claim.subject == row.subject && !claim.witnesses.empty())
          told.push_back(std::move(claim));
    return told;
  }

 private:
  Claim& of(Subject subject) {
    const auto found = std::ranges::find(all_, subject, &Claim::subject);
    if (found != all_.end()) return *found;
    return all_.emplace_back(Claim{subject, {}, {}});
  }

  std::vector<Claim> all_;
};

std::string in_bytes(std::uint64_t bytes) { return fmt::format("{} bytes", bytes); }

void tell_sizes(const Told& told, const model::Identity& identity, Claims& claims) {
  const auto tell = [&](const char* by, const std::optional<Capacity>& capacity) {
    if (!capacity) return;
    claims.say(Subject::capacity, by, in_bytes(capacity->blocks * capacity->block_bytes));
    claims.say(Subject::block_length, by, in_bytes(capacity->block_bytes));
  };
  tell(kCapacity10, told.capacity_10);
  tell(kCapacity16, told.capacity_16);
  if (told.capacity_16)
    claims.say(Subject::physical_block, kCapacity16,
               in_bytes(told.capacity_16->physical_block_bytes));
  if (const AtaIdentity* disk = ata_of(told); disk && disk->sector_bytes) {
    const std::uint32_t bytes = *disk->sector_bytes;
    const std::string by = ata_witness(told);
    claims.say(Subject::block_length, by, in_bytes(bytes));
    if (const auto sectors = disk->sectors())
      claims.say(Subject::capacity, by, in_bytes(*sectors * bytes));
    if (disk->physical_exponent && *disk->physical_exponent < 8)
      claims.say(Subject::physical_block, by,
                 in_bytes(std::uint64_t{bytes} << *disk->physical_exponent));
  }
  if (identity.stated_blocks)
    claims.say(Subject::capacity, "the last block that can be read",
               in_bytes(identity.blocks * identity.block_bytes));
  claims.take(Subject::capacity, in_bytes(identity.blocks * identity.block_bytes));
  claims.take(Subject::block_length, in_bytes(identity.block_bytes));
  claims.take(Subject::physical_block, in_bytes(identity.physical_block_bytes));
}

std::string name_of(const std::string& vendor, const std::string& product) {
  return vendor + (vendor.empty() || product.empty() ? "" : " ") + product;
}

void tell_names(const Told& told, const model::Identity& identity, Claims& claims) {
  // INQUIRY has room for 16 of the model's 40 characters: what it has of them is the same name.
  const std::string inquired = name_of(told.inquiry.vendor, told.inquiry.product);
  const AtaIdentity* disk = ata_of(told);
  const bool cut = disk && disk->model &&
                   (identity::begins_alike(*disk->model, told.inquiry.product) ||
                    identity::begins_alike(*disk->model, inquired));
  claims.say(Subject::name, kInquiry, cut ? *disk->model : inquired);
  if (!told.serial.empty()) claims.say(Subject::serial_number, page_name(0x80), told.serial);
  const auto tell = [&](const std::string& by, const AtaIdentity& ata) {
    if (ata.model) claims.say(Subject::name, by, *ata.model);
    if (ata.serial) claims.say(Subject::serial_number, by, *ata.serial);
    if (ata.world_wide_name)
      claims.say(Subject::world_wide_name, by, fmt::format("naa.{:016x}", *ata.world_wide_name));
  };
  if (told.ata) tell(kIdentify, *told.ata);
  if (told.page_89h) tell(page_name(0x89), *told.page_89h);
  for (const std::string& name : told.designators)
    if (name.starts_with("naa.")) claims.say(Subject::world_wide_name, page_name(0x83), name);
  claims.take(Subject::name, identity.name);
  claims.take(Subject::serial_number, identity.serial);
}

std::string in_words(Zoned zoned) {
  switch (zoned) {
    case Zoned::host_aware:
      return "host-aware";
    case Zoned::device_managed:
      return "device-managed";
    case Zoned::not_reported:
    case Zoned::reserved:
      break;
  }
  return "";
}

// Whoever speaks of zones is believed: a drive that has none says so only by silence.
void tell_zones(Drive& drive, const Told& told, const std::optional<Characteristics>& said,
                Claims& claims, SelfDescription& found) {
  const auto tell = [&](const std::string& by, const std::string& kind) {
    if (kind.empty()) return;
    claims.say(Subject::zones, by, kind);
    if (found.zones.empty()) found.zones = kind;
  };
  if (drive.is_host_managed()) tell("the device type", "host-managed");
  if (said && said->zoned) tell(page_name(0xB1), in_words(*said->zoned));
  if (const AtaIdentity* disk = ata_of(told)) tell(ata_witness(told), in_words(disk->zoned));
  const auto page = drive.vpd_page(0xB6);
  if (page) found.zoned = decode_zoned_characteristics(*page);
  if (found.zoned) tell(page_name(0xB6), found.zones.empty() ? "host-aware" : found.zones);
  if (found.zones.starts_with("host-")) found.zone_runs = drive.zones();
  if (!found.zones.empty()) claims.take(Subject::zones, found.zones);
}

// A drive that rotates and takes TRIM has no fixed place for its blocks.
void tell_trim(Drive& drive, const Told& told, bool rotates, Claims& claims,
               SelfDescription& found) {
  const auto tell = [&](const std::string& by) {
    claims.say(Subject::trim, by, "yes");
    found.trims = rotates;
  };
  if (const AtaIdentity* disk = ata_of(told); disk && disk->trim) tell(ata_witness(told));
  if (const auto page = drive.vpd_page(0xB2))
    if (const auto provisioning = decode_provisioning(*page);
        provisioning && provisioning->can_be_trimmed())
      tell(page_name(0xB2));
  if (found.trims)
    claims.take(Subject::trim, found.rotation ? "yes, of a drive that rotates" : "yes");
}

void tell_rotation(Drive& drive, const Told& told, const std::optional<Characteristics>& said,
                   Claims& claims, const SelfDescription& found) {
  const auto in_words = [](std::uint16_t rpm) {
    return rpm == kDoesNotRotate ? "does not rotate" : fmt::format("{} rpm", rpm);
  };
  const auto tell = [&](const std::string& by, std::uint16_t rpm) {
    if (rpm > 0) claims.say(Subject::rotation, by, in_words(rpm));
  };
  if (said) tell(page_name(0xB1), said->rotation_rate);
  if (const AtaIdentity* disk = ata_of(told); disk && disk->rotation_rate)
    tell(ata_witness(told), *disk->rotation_rate);
  if (const auto page = drive.settings().mode_page(0x04, PageControl::current))
    if (const auto geometry = decode_geometry_page(*page)) tell("mode page 04h", geometry->rpm);
  if (found.rotation) claims.take(Subject::rotation, in_words(found.rotation->rpm));
}

void tell_ranges(Drive& drive, Claims& claims, SelfDescription& found) {
  const auto page = drive.vpd_page(0xB9);
  const auto ranges = page ? decode_positioning_ranges(*page) : std::nullopt;
  if (!ranges) return;
  claims.say(Subject::positioning_ranges, page_name(0xB9), fmt::format("{}", ranges->size()));
  if (!lie_within(*ranges, drive.blocks())) {
    claims.say(Subject::positioning_ranges, "the capacity",
               "none, for they go beyond the last block");
    return;
  }
  for (const PositioningRange& range : *ranges)
    found.positioning_ranges.push_back(
        {range.blocks.first, range.blocks.last - range.blocks.first + 1});
  claims.take(Subject::positioning_ranges, fmt::format("{}", ranges->size()));
}

void tell_units(const std::vector<std::uint64_t>& luns, Claims& claims, SelfDescription& found) {
  if (luns.size() < 2) return;
  found.logical_units = static_cast<std::uint32_t>(luns.size());
  claims.say(Subject::logical_units, "REPORT LUNS", fmt::format("{}", luns.size()));
  claims.take(Subject::logical_units, fmt::format("{}", luns.size()));
}

std::vector<model::PowerTimer> timers_that_are_on(const PowerTimers& timers) {
  constexpr std::uint64_t kTenth_ms = 100;
  std::vector<model::PowerTimer> on;
  const auto keep = [&](const char* condition, const PowerTimer& timer) {
    if (timer.enabled && timer.tenths) on.push_back({condition, *timer.tenths * kTenth_ms});
  };
  keep("idle_a", timers.idle_a);
  keep("idle_b", timers.idle_b);
  keep("idle_c", timers.idle_c);
  keep("standby_y", timers.standby_y);
  keep("standby_z", timers.standby_z);
  return on;
}

void tell_timers(Drive& drive, Claims& claims, SelfDescription& found) {
  const auto page = drive.settings().mode_page(kPowerConditionPage.page, PageControl::current);
  const auto timers = page ? decode_power_timers(*page) : std::nullopt;
  if (!timers) return;
  found.power_timers = timers_that_are_on(*timers);
  std::string said;
  for (const model::PowerTimer& timer : found.power_timers)
    said += fmt::format("{}{} after {:g} s", said.empty() ? "" : ", ", timer.condition,
                        static_cast<double>(timer.after_ms) / 1e3);
  claims.say(Subject::power_timers, "mode page 1Ah", said.empty() ? "none is on" : said);
  claims.take(Subject::power_timers, said.empty() ? "none is on" : said);
}

void tell_elements(const std::optional<PhysicalElements>& elements, Claims& claims,
                   SelfDescription& found) {
  if (!elements || !elements->is_whole()) return;
  const auto out = static_cast<std::uint32_t>(
      std::ranges::count_if(elements->elements, &PhysicalElement::is_out_of_use));
  found.depopulated_elements = out;
  const std::string said = fmt::format("{} of {}", out, elements->elements.size());
  claims.say(Subject::depopulated, "GET PHYSICAL ELEMENT STATUS", said);
  claims.take(Subject::depopulated, said);
}

void tell_write_cache(Drive& drive, Claims& claims) {
  const auto in_words = [](bool on) { return std::string(on ? "on" : "off"); };
  const auto page = drive.settings().cache_page();
  const auto ata = drive.settings().ata();
  if (page) claims.say(Subject::write_cache, "mode page 08h", in_words(page->write_cache_enabled));
  if (ata && ata->write_cache)
    claims.say(Subject::write_cache, kIdentify, in_words(*ata->write_cache));
  if (page) claims.take(Subject::write_cache, in_words(page->write_cache_enabled));
}

}  // namespace

SelfDescription describe(Drive& drive) {
  SelfDescription found;
  Claims claims;
  const model::Identity& identity = drive.identify();
  const Told& told = drive.told();
  const auto said = drive.characteristics();
  found.rotation = rotation_of(said, told);
  const bool rotates = !found.rotation || found.rotation->rpm != kDoesNotRotate;
  tell_sizes(told, identity, claims);
  tell_names(told, identity, claims);
  tell_rotation(drive, told, said, claims, found);
  tell_zones(drive, told, said, claims, found);
  tell_trim(drive, told, rotates, claims, found);
  tell_ranges(drive, claims, found);
  tell_units(drive.logical_units(), claims, found);
  tell_timers(drive, claims, found);
  tell_elements(drive.physical_elements(), claims, found);
  tell_write_cache(drive, claims);
  found.claims = claims.in_order();
  return found;
}

void SelfDescription::into(model::Identity& identity) const {
  identity.zones = zones;
  identity.zone_runs = zone_runs;
  identity.most_open_zones = zoned ? zoned->most_open : std::nullopt;
  identity.reads_past_pointers = zoned && zoned->reads_beyond_write_pointer;
  identity.trims = trims;
  identity.positioning_ranges = positioning_ranges;
  identity.logical_units = logical_units;
  identity.power_timers = power_timers;
  identity.depopulated_elements = depopulated_elements;
}

model::Notes SelfDescription::doubts() const {
  model::Notes notes;
  const auto is_told_elsewhere = [](Subject subject) {  // identity::Who has its own words
    return subject == Subject::name || subject == Subject::serial_number ||
           subject == Subject::capacity;
  };
  for (const Claim& claim : claims)
    if (claim.contradicted() && !is_told_elsewhere(claim.subject))
      notes.emplace_back(model::Code::claims_disagree, claim.doubt());
  const bool host_moves_them = zones == "host-managed";
  if (!zones.empty() && !host_moves_them)
    notes.emplace_back(model::Code::blocks_move,
                       fmt::format("the drive is shingled ({} zones): its blocks may move, and a "
                                   "map of it may hold for as "
                                   "long as nothing is written",
                                   zones));
  else if (trims)
    notes.emplace_back(
        model::Code::blocks_move,
        fmt::format(
            "the drive {} TRIM, as shingled drives do: its blocks may move, and a map of "
            "it may hold for as long as nothing is written",
            rotation ? "rotates and takes" : "does not say how fast it rotates, and takes"));
  if (positioning_ranges.size() > 1)
    notes.emplace_back(model::Code::several_arms,
                       fmt::format("the drive has {} actuators, each with LBNs of its own (VPD "
                                   "page B9h): unless two reads at once confirm that, it is "
                                   "measured as one with a single arm",
                                   positioning_ranges.size()));
  if (logical_units)
    notes.emplace_back(fmt::format(
        "there are {} logical units at its address (REPORT LUNS): others of this drive share its "
        "spindle, and perhaps its arm, those of a dock are other disks; only this one is measured",
        *logical_units));
  if (depopulated_elements.value_or(0) > 0)
    notes.emplace_back(
        fmt::format("{} of the drive's surfaces are out of use (GET PHYSICAL "
                    "ELEMENT STATUS)",
                    *depopulated_elements));
  return notes;
}

}  // namespace platter::scsi

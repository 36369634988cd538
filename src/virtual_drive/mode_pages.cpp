#include "virtual_drive/mode_pages.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/tables.h"
#include "model/power.h"
#include "model/stand_ins.h"
#include "model/validate.h"
#include "scsi/bytes.h"
#include "scsi/caching_fields.h"
#include "scsi/power_conditions.h"

namespace platter::virtual_drive {
namespace {

constexpr std::uint8_t kErrorRecovery = 0x01, kDisconnectReconnect = 0x02, kFormat = 0x03,
                       kGeometry = 0x04, kCaching = 0x08, kControl = 0x0a, kNotch = 0x0c,
                       kPowerCondition = 0x1a, kAllPages = 0x3f, kAllSubpages = 0xff;
constexpr std::uint16_t kBackgroundControl = 0x011c;  // subpage 01h
constexpr std::uint8_t kCurrent = 0, kChangeable = 1, kDefaults = 2, kSaved = 3;

constexpr std::size_t kActiveNotch = 6;  // of the notch page
constexpr std::size_t kReadRetryCount = 3;
constexpr std::size_t kWriteProtectAt = 4;  // of the control page
constexpr std::uint8_t kWriteProtect = 0x08;

constexpr std::uint8_t kRetries = 8;  // of the error recovery page, reads and writes

std::vector<std::uint8_t> empty_page(std::uint8_t code, std::uint8_t length) {
  std::vector<std::uint8_t> page(2u + length, 0);
  page[0] = code;
  page[1] = length;
  return page;
}

// A share of the buffer in 1/256 (SPC-4 clause 7.5.10).
std::uint8_t buffer_ratio(double share) {
  return static_cast<std::uint8_t>(std::clamp(std::round(share * 256), 0.0, 255.0));
}

std::vector<std::uint8_t> error_recovery_page() {
  auto page = empty_page(kErrorRecovery, 0x0a);
  page[kReadRetryCount] = kRetries;
  page[8] = kRetries;
  return page;
}

std::vector<std::uint8_t> disconnect_reconnect_page(const model::Bus& bus) {
  auto page = empty_page(kDisconnectReconnect, 0x0e);
  page[2] = buffer_ratio(acting(bus, bus.high_read_watermark));
  return page;
}

std::vector<std::uint8_t> geometry_page(const Personality& drive) {
  auto page = empty_page(kGeometry, 0x16);
  scsi::put_be(&page[2], 3, drive.cylinders);
  page[5] = static_cast<std::uint8_t>(std::min<std::uint32_t>(drive.heads, 255));
  scsi::put_be(&page[20], 2, drive.rpm);
  return page;
}

constexpr std::uint8_t kEnable = 0x01;  // EN_BMS, EN_PS and STANDBY_Y in their bytes
constexpr std::uint8_t kIdleA = 0x02;

// As the pages are kept: the code, and of a page with a subpage that one, too.
std::uint16_t code_of(std::span<const std::uint8_t> page) {
  const bool subpage = page[0] & 0x40;
  return static_cast<std::uint16_t>((page[0] & 0x3f) | (subpage ? page[1] << 8 : 0));
}

// SPC-4 clause 7.5.13; timers in tenths of a second.
std::vector<std::uint8_t> power_condition_page(const model::Imperfections& imperfections) {
  auto page = empty_page(kPowerCondition, 0x26);
  const double tenths = std::round(imperfections.idle_condition_s * 10);
  if (tenths <= 0) return page;
  page[3] = kIdleA;
  scsi::put_be(&page[4], 4, static_cast<std::uint64_t>(std::min(tenths, 4294967295.0)));
  return page;
}

// Of a drive whose model has them.
std::vector<std::uint8_t> power_timers_page(const model::DriveModel& model) {
  auto page = empty_page(kPowerCondition, 0x26);
  constexpr std::uint64_t kTenth_ms = 100;
  for (const model::PowerTimer& timer : model.identity.power_timers) {
    const std::size_t i = model::power_condition(timer.condition);
    if (i >= scsi::kPowerFields.size()) continue;
    const scsi::PowerField& field = scsi::kPowerFields[i];
    page[field.enabled_at] |= field.enabled;
    scsi::put_be(&page[field.timer_at], 4,
                 std::min<std::uint64_t>(timer.after_ms / kTenth_ms, 0xffffffff));
  }
  return page;
}

std::vector<std::uint8_t> power_timers_changeable(const Personality& drive) {
  auto mask = empty_page(kPowerCondition, 0x26);
  if (!drive.firmware.power_page_changeable) return mask;
  for (std::size_t i = 0; i < scsi::kPowerFields.size(); ++i) {
    if (!is_there((*drive.model.power).*model::kPowerConditions[i].wake)) continue;
    const scsi::PowerField& field = scsi::kPowerFields[i];
    mask[field.enabled_at] |= field.enabled;
    scsi::put_be(&mask[field.timer_at], 4, 0xffffffff);
  }
  return mask;
}

std::vector<std::uint8_t> power_condition_changeable() {
  auto mask = empty_page(kPowerCondition, 0x26);
  mask[2] = kEnable;
  mask[3] = 0x0f;
  std::fill(mask.begin() + 4, mask.begin() + 24, std::uint8_t{0xff});
  return mask;
}

// SBC-3 clause 6.4.3: every 72 hours, once the drive has been idle for so long.
std::vector<std::uint8_t> background_control_page(const model::Imperfections& imperfections) {
  std::vector<std::uint8_t> page(16, 0);
  page[0] = 0x40 | (kBackgroundControl & 0x3f);
  page[1] = kBackgroundControl >> 8;
  page[3] = 12;
  if (imperfections.background_scan_step_ms > 0) page[4] = kEnable;
  scsi::put_be(&page[6], 2, 72);
  scsi::put_be(
      &page[10], 2,
      static_cast<std::uint64_t>(std::min(imperfections.background_scan_idle_ms, 65535.0)));
  return page;
}

std::vector<std::uint8_t> background_control_changeable() {
  auto mask = background_control_page({});
  mask[4] = mask[5] = kEnable;
  mask[7] = 0;
  return mask;
}

// SkewFields in sectors, as the format page has them.
struct SkewFields {
  std::uint16_t track = 0, cylinder = 0;
};

std::uint16_t skew_in_sectors(const engine::Track& from, const engine::Track& to) {
  return static_cast<std::uint16_t>(
      std::lround(engine::rev_from_angle(to.angle - from.angle) * from.sectors));
}

// From the first track of a zone to the next one of its cylinder, and over its first cylinder
// switch.
SkewFields skews_of_zone(const engine::LayoutMap& map, std::uint64_t first_slot,
                         std::uint64_t end) {
  constexpr int kFarthestSwitch = 4096;  // tracks; beyond, there is none worth naming
  std::optional<std::uint16_t> track_skew, cylinder_skew;
  engine::Track track = map.track_of_slot(first_slot);
  for (int i = 0; i < kFarthestSwitch && !(track_skew && cylinder_skew); ++i) {
    if (track.first_slot + track.sectors >= end) break;
    const engine::Track next = map.track_of_slot(track.first_slot + track.sectors);
    auto& skew = next.cylinder == track.cylinder ? track_skew : cylinder_skew;
    if (!skew) skew = skew_in_sectors(track, next);
    track = next;
  }
  return {track_skew.value_or(0), cylinder_skew.value_or(0)};
}

std::vector<std::uint8_t> format_page(const Personality& drive, const engine::LayoutMap& map,
                                      std::uint64_t first_slot, std::uint64_t end) {
  auto page = empty_page(kFormat, 0x16);
  const SkewFields skews = skews_of_zone(map, first_slot, end);
  scsi::put_be(&page[10], 2,
               std::min<std::uint32_t>(map.track_of_slot(first_slot).sectors, 0xffff));
  scsi::put_be(&page[12], 2, std::min<std::uint32_t>(drive.block_bytes, 0xffff));
  scsi::put_be(&page[14], 2, 1);  // interleave
  scsi::put_be(&page[16], 2, skews.track);
  scsi::put_be(&page[18], 2, skews.cylinder);
  page[20] = 0x40;  // HSEC: hard sectors
  return page;
}

// Cylinder and head of a boundary (SCSI-2 clause 9.3.3.7, LPN = 0).
void store_boundary(std::uint8_t* to, const engine::Track& track) {
  scsi::put_be(to, 3, track.cylinder);
  to[3] = static_cast<std::uint8_t>(track.head);
}

std::vector<std::uint8_t> notch_page(const engine::LayoutMap& map,
                                     const std::vector<std::uint64_t>& zone_starts,
                                     std::uint16_t active) {
  auto page = empty_page(kNotch, 0x16);
  const std::size_t zones = zone_starts.size() - 1;
  page[2] = 0x80;  // ND: a notched drive
  scsi::put_be(&page[4], 2, std::min<std::size_t>(zones, 0xffff));
  scsi::put_be(&page[kActiveNotch], 2, active);
  const std::size_t from = active == 0 ? 0 : active - 1u;
  const std::size_t to = active == 0 ? zones : active;
  store_boundary(&page[8], map.track_of_slot(zone_starts[from]));
  store_boundary(&page[12], map.track_of_slot(zone_starts[to] - 1));
  scsi::put_be(&page[16], 8, std::uint64_t{1} << kFormat);  // the pages that follow the active
                                                            // notch
  return page;
}

}  // namespace

// The mode parameter header: MODE SENSE and SELECT(6) and (10) differ in it alone (SPC-4
// clause 7.5.5).
struct ModePages::Header {
  std::size_t bytes, descriptor_length_at, descriptor_length_bytes;
};

namespace {
constexpr std::size_t kDescriptorBytes = 8;
}

ModePages::ModePages(const Personality& drive, const engine::LayoutMap& map)
    : drive_(drive),
      map_(map),
      zone_starts_(model::zone_starts(drive.model.layout)),
      caching_(drive.model.cache, drive.firmware) {
  add(error_recovery_page());
  if (drive.firmware.ata) {  // all that a translation has (SAT-4, mode pages)
    add(caching_.defaults(), caching_.changeable());
    add(empty_page(kControl, 0x0a));
    if (drive.model.power) add(power_timers_page(drive.model), power_timers_changeable(drive));
    return;
  }
  add(disconnect_reconnect_page(drive.model.bus));
  add(format_page(drive, map, 0, zone_starts_[1]));
  add(geometry_page(drive));
  add(caching_.defaults(), caching_.changeable());
  const std::uint8_t control_length = drive.level == ScsiLevel::scsi2 ? 0x06 : 0x0a;
  auto control_changeable = empty_page(kControl, control_length);
  if (drive.level >= ScsiLevel::spc3) control_changeable[kWriteProtectAt] = kWriteProtect;
  add(empty_page(kControl, control_length), std::move(control_changeable));
  const auto disturbed = drive.model.imperfections.value_or(model::Imperfections{});
  if (drive.model.power)
    add(power_timers_page(drive.model), power_timers_changeable(drive));
  else if (drive.level >= ScsiLevel::spc2 || disturbed.idle_condition_s > 0)
    add(power_condition_page(disturbed), power_condition_changeable());
  if (drive.level >= ScsiLevel::spc3 || disturbed.background_scan_step_ms > 0)
    add(background_control_page(disturbed), background_control_changeable());
  if (drive.level <= ScsiLevel::spc) {  // obsolete from SBC-2 on
    auto changeable = empty_page(kNotch, 0x16);
    scsi::put_be(&changeable[kActiveNotch], 2, 0xffff);
    add(notch_page(map, zone_starts_, 0), std::move(changeable));
  }
}

void ModePages::add(std::vector<std::uint8_t> page, std::vector<std::uint8_t> changeable) {
  if (changeable.empty()) changeable = empty_page(page[0], page[1]);
  pages_[code_of(page)] = {page, std::move(changeable), page};
}

void ModePages::restore_defaults() {
  for (auto& [code, page] : pages_) page.current = page.defaults;
}

engine::CacheSettings ModePages::cache_settings() const {
  return caching_.settings(pages_.at(kCaching).current);
}

model::Cache ModePages::cache_policies(const model::Cache& cache) const {
  return caching_.policies(cache, pages_.at(kCaching).current);
}

const std::vector<std::uint8_t>& ModePages::caching_page() const {
  return pages_.at(kCaching).current;
}

void ModePages::set_from_outside(bool write_cache, bool read_ahead) {
  Page& page = pages_.at(kCaching);
  // What a drive cannot do, nothing turns on.
  const auto set = [&](const char* name, bool on, std::uint32_t prevails) {
    const scsi::CachingField& field = *scsi::find_caching_field(name);
    const bool fixed = scsi::value_of(page.defaults, field) == prevails;
    scsi::set_value(page.current, field, fixed ? prevails : on ? 1 : 0);
  };
  set("WCE", write_cache, 0);
  set("DRA", !read_ahead, 1);
}

std::uint8_t ModePages::read_retries() const {
  return pages_.at(kErrorRecovery).current[kReadRetryCount];
}

bool ModePages::write_protected() const {
  return pages_.at(kControl).current[kWriteProtectAt] & kWriteProtect;
}

bool ModePages::scans_in_background() const {
  const auto page = pages_.find(kBackgroundControl);
  return page != pages_.end() && (page->second.current[4] & kEnable);
}

bool ModePages::becomes_idle() const {
  const auto page = pages_.find(kPowerCondition);
  return page != pages_.end() && (page->second.current[3] & kIdleA);
}

std::array<Nanoseconds, 5> ModePages::power_timers_ns() const {
  constexpr std::uint64_t kTenth_ms = 100;
  std::array<Nanoseconds, 5> timers{};
  const auto page = pages_.find(kPowerCondition);
  if (page == pages_.end()) return timers;
  const std::vector<std::uint8_t>& bytes = page->second.current;
  for (std::size_t i = 0; i < timers.size(); ++i) {
    const scsi::PowerField& field = scsi::kPowerFields[i];
    if ((bytes[field.enabled_at] & field.enabled) != 0)
      timers[i] = engine::timer_ns(scsi::get_be32(&bytes[field.timer_at]) * kTenth_ms);
  }
  return timers;
}

bool ModePages::has_power_conditions() const { return pages_.contains(kPowerCondition); }

// Empty: there is no such page.
std::vector<std::uint8_t> ModePages::pages(std::uint8_t page, std::uint8_t subpage,
                                           std::uint8_t control) const {
  std::vector<std::uint8_t> bytes;
  for (const auto& [code, held] : pages_) {
    if (page != kAllPages && page != (code & 0xff)) continue;
    if (subpage != kAllSubpages && subpage != code >> 8) continue;
    const auto& values = control == kCurrent      ? held.current
                         : control == kChangeable ? held.changeable
                                                  : held.defaults;
    bytes.insert(bytes.end(), values.begin(), values.end());
  }
  return bytes;
}

// The short block descriptor: 24 bits of blocks and a density code on a SCSI-2 drive, 32 bits
// later; what does not fit is all ones.
std::vector<std::uint8_t> ModePages::block_descriptor() const {
  std::vector<std::uint8_t> descriptor(kDescriptorBytes, 0);
  if (drive_.level == ScsiLevel::scsi2) {
    scsi::put_be(&descriptor[1], 3, std::min<std::uint64_t>(drive_.blocks, 0xffffff));
  } else {
    scsi::put_be(&descriptor[0], 4, std::min<std::uint64_t>(drive_.blocks, 0xffffffff));
  }
  scsi::put_be(&descriptor[5], 3, drive_.block_bytes);
  return descriptor;
}

namespace {
// The device-specific parameter (SBC-3 clause 6.4.1).
constexpr std::uint8_t kDpoFua = 0x10, kProtected = 0x80;
}  // namespace

Reply ModePages::sense_6(const scsi::Command& command) const {
  return sense(command, {4, 3, 1}, command.cdb[4]);
}

Reply ModePages::sense_10(const scsi::Command& command) const {
  return sense(command, {8, 6, 2}, scsi::get_be16(&command.cdb[7]));
}

Reply ModePages::sense(const scsi::Command& command, const Header& header,
                       std::uint64_t allocation_length) const {
  const bool no_descriptor = command.cdb[1] & 0x08;  // DBD
  const std::uint8_t control = command.cdb[2] >> 6;
  const std::uint8_t page = command.cdb[2] & 0x3f;
  const std::uint8_t subpage = command.cdb[3];
  const auto bytes = pages(page, subpage, control);
  if (bytes.empty()) return invalid_cdb_field(subpage != 0 ? 3 : 2);
  if (control == kSaved) return check_condition(kSavingNotSupported);

  std::vector<std::uint8_t> data(header.bytes, 0);
  const bool has_fua = drive_.firmware.force_reads && drive_.firmware.force_writes;
  data[header.bytes == 4 ? 2 : 3] = static_cast<std::uint8_t>((has_fua ? kDpoFua : 0) |
                                                              (write_protected() ? kProtected : 0));
  if (!no_descriptor) {
    const auto descriptor = block_descriptor();
    data[header.descriptor_length_at + header.descriptor_length_bytes - 1] = kDescriptorBytes;
    data.insert(data.end(), descriptor.begin(), descriptor.end());
  }
  data.insert(data.end(), bytes.begin(), bytes.end());
  if (header.bytes == 4) {
    data[0] = static_cast<std::uint8_t>(data.size() - 1);
  } else {
    scsi::put_be(&data[0], 2, data.size() - 2);
  }
  return good(std::move(data), allocation_length);
}

Reply ModePages::select_6(const scsi::Command& command, std::span<const std::uint8_t> parameters) {
  return select(command, {4, 3, 1}, parameters);
}

Reply ModePages::select_10(const scsi::Command& command, std::span<const std::uint8_t> parameters) {
  return select(command, {8, 6, 2}, parameters);
}

Reply ModePages::check_block_descriptor(std::span<const std::uint8_t> descriptor,
                                        std::uint16_t at) const {
  const auto held = block_descriptor();
  const auto blocks = [](std::span<const std::uint8_t> d) { return scsi::get_be32(d.data()); };
  // No blocks named: as many as there are. Reformatting to another size is not offered.
  if (blocks(descriptor) != 0 && blocks(descriptor) != blocks(held)) return invalid_parameter(at);
  if (!std::equal(held.begin() + 4, held.end(), descriptor.begin() + 4))
    return invalid_parameter(static_cast<std::uint16_t>(at + 4));
  return {};
}

// A page of MODE SELECT may differ from the current values in changeable bits only.
Reply ModePages::check_page(std::span<const std::uint8_t> page, std::uint16_t at) const {
  const Page& held = pages_.at(code_of(page));
  for (std::size_t i = 2; i < page.size(); ++i)
    if ((page[i] ^ held.current[i]) & ~held.changeable[i])
      return invalid_parameter(static_cast<std::uint16_t>(at + i));
  if ((page[0] & 0x3f) == kNotch && scsi::get_be16(&page[kActiveNotch]) >= zone_starts_.size())
    return invalid_parameter(static_cast<std::uint16_t>(at + kActiveNotch));
  if (code_of(page) == kCaching)
    if (const auto wrong = caching_.wrong_byte({page.begin(), page.end()}))
      return invalid_parameter(static_cast<std::uint16_t>(at + *wrong));
  return {};
}

Reply ModePages::select(const scsi::Command& command, const Header& header,
                        std::span<const std::uint8_t> parameters) {
  if (command.cdb[1] & 0x01) return invalid_cdb_field(1);  // SP: nothing can be saved
  if (parameters.empty()) return {};
  if (parameters.size() < header.bytes) return check_condition(kParameterListLengthError);
  const std::size_t descriptors = header.descriptor_length_bytes == 1
                                      ? parameters[header.descriptor_length_at]
                                      : scsi::get_be16(&parameters[header.descriptor_length_at]);
  std::size_t at = header.bytes;
  if (descriptors != 0 && descriptors != kDescriptorBytes)
    return invalid_parameter(static_cast<std::uint16_t>(header.descriptor_length_at));
  if (parameters.size() - at < descriptors) return check_condition(kParameterListLengthError);
  if (descriptors != 0) {
    Reply reply = check_block_descriptor(parameters.subspan(at, descriptors),
                                         static_cast<std::uint16_t>(at));
    if (reply.status != scsi::Status::good) return reply;
    at += descriptors;
  }

  std::vector<std::span<const std::uint8_t>> accepted;
  while (at < parameters.size()) {
    const auto rest = parameters.subspan(at);
    const auto position = static_cast<std::uint16_t>(at);
    const bool subpage = rest[0] & 0x40;
    if (rest.size() < (subpage ? 4 : 2) && (subpage || pages_.contains(rest[0] & 0x3f)))
      return check_condition(kParameterListLengthError);
    const auto page = pages_.find(code_of(rest));
    if (page == pages_.end()) return invalid_parameter(position);
    const std::size_t length_at = subpage ? 2 : 1;
    if (!std::equal(rest.begin() + 1, rest.begin() + (subpage ? 4 : 2),
                    page->second.current.begin() + 1))
      return invalid_parameter(static_cast<std::uint16_t>(at + length_at));
    const std::size_t length = page->second.current.size();
    if (rest.size() < length) return check_condition(kParameterListLengthError);
    Reply reply = check_page(rest.first(length), position);
    if (reply.status != scsi::Status::good) return reply;
    accepted.push_back(rest.first(length));
    at += length;
  }
  for (const auto& page : accepted)
    std::copy(page.begin() + 2, page.end(), pages_.at(code_of(page)).current.begin() + 2);
  pages_.at(kCaching).current = caching_.shown(pages_.at(kCaching).current);
  if (pages_.contains(kNotch)) show_active_notch();
  return {};
}

// The format page tells of the active notch, or of the outermost zone when none is active.
void ModePages::show_active_notch() {
  const std::uint16_t active = scsi::get_be16(&pages_.at(kNotch).current[kActiveNotch]);
  pages_.at(kNotch).current = notch_page(map_, zone_starts_, active);
  const std::size_t zone = active == 0 ? 0 : active - 1u;
  pages_.at(kFormat).current = format_page(drive_, map_, zone_starts_[zone],
                                           zone_starts_[zone + 1]);
}

}  // namespace platter::virtual_drive

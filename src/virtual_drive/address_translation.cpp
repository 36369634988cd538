#include "virtual_drive/address_translation.h"

#include <algorithm>
#include <optional>

#include "scsi/bytes.h"

namespace platter::virtual_drive {
namespace {

constexpr std::uint8_t kSupportedPages = 0x00, kTranslateAddress = 0x40;
enum Format : std::uint8_t { kBlock = 0b000, kLongBlock = 0b011, kPhysicalSector = 0b101 };
constexpr std::uint8_t kReservedArea = 0x80, kAlternateSector = 0x40;

// A block, and whether it has an LBN at all.
struct Place {
  std::uint64_t slot = 0;
  std::optional<std::uint64_t> lbn;
};

std::vector<std::uint8_t> supported_pages(const Personality& drive) {
  if (!drive.firmware.address_translation) return {kSupportedPages, 0, 0, 1, kSupportedPages};
  return {kSupportedPages, 0, 0, 2, kSupportedPages, kTranslateAddress};
}

}  // namespace

AddressTranslation::AddressTranslation(const Personality& drive, const engine::LayoutMap& map)
    : drive_(drive), map_(map) {}

Reply AddressTranslation::send(std::span<const std::uint8_t> parameters) {
  if (parameters.size() < 4 || parameters.size() != 4u + scsi::get_be16(&parameters[2]))
    return check_condition(kParameterListLengthError);
  if (parameters[1] != 0) return invalid_parameter(1);
  if (parameters[0] == kSupportedPages) {
    if (parameters.size() != 4) return invalid_parameter(2);
    answer_ = supported_pages(drive_);
    return {};
  }
  if (parameters[0] != kTranslateAddress || !drive_.firmware.address_translation)
    return invalid_parameter(0);
  return translate(parameters);
}

Reply AddressTranslation::translate(std::span<const std::uint8_t> parameters) {
  if (parameters.size() != 14) return invalid_parameter(2);
  const auto is_known = [](std::uint8_t format) {
    return format == kBlock || format == kLongBlock || format == kPhysicalSector;
  };
  const std::uint8_t supplied = parameters[4], wanted = parameters[5];
  if (!is_known(supplied)) return invalid_parameter(4);
  if (!is_known(wanted)) return invalid_parameter(5);

  Place place;
  const std::uint8_t* address = &parameters[6];
  if (supplied != kPhysicalSector) {
    if (supplied == kBlock && scsi::get_be32(address + 4) != 0) return invalid_parameter(10);
    place.lbn = scsi::get_be(address, supplied == kBlock ? 4 : 8);
    if (*place.lbn >= drive_.blocks) return out_of_range(*place.lbn);
    place.slot = map_.slot_of_lbn(*place.lbn);
  } else {
    const auto track =
        map_.track_at(static_cast<std::uint32_t>(scsi::get_be(address, 3)), address[3]);
    const std::uint32_t sector = scsi::get_be32(address + 4);
    if (!track || sector >= track->sectors) return invalid_parameter(6);
    place.slot = track->first_slot + sector;
    place.lbn = map_.lbn_of_slot(place.slot);
    if (place.lbn && *place.lbn >= drive_.blocks) place.lbn.reset();
  }

  answer_.assign(6, 0);
  answer_[0] = kTranslateAddress;
  answer_[4] = supplied;
  answer_[5] = wanted;
  if (place.lbn && map_.is_remapped(*place.lbn)) answer_[5] |= kAlternateSector;
  if (!place.lbn) answer_[5] |= kReservedArea;
  if (wanted != kPhysicalSector && place.lbn) {
    answer_.resize(14, 0);
    scsi::put_be(&answer_[6], wanted == kBlock ? 4 : 8, *place.lbn);
  } else if (wanted == kPhysicalSector) {
    const engine::Track track = map_.track_of_slot(place.slot);
    answer_.resize(14, 0);
    scsi::put_be(&answer_[6], 3, track.cylinder);
    answer_[9] = static_cast<std::uint8_t>(track.head);
    scsi::put_be(&answer_[10], 4, place.slot - track.first_slot);
  }
  scsi::put_be(&answer_[2], 2, answer_.size() - 4);
  return {};
}

Reply AddressTranslation::receive(const scsi::Command& command) const {
  const std::uint64_t allocation_length = scsi::get_be16(&command.cdb[3]);
  const bool page_code_valid = command.cdb[1] & 0x01;
  const std::uint8_t page = command.cdb[2];
  if (!page_code_valid) {
    if (page != 0) return invalid_cdb_field(2);
    return good(answer_.empty() ? supported_pages(drive_) : answer_, allocation_length);
  }
  if (page == kSupportedPages) return good(supported_pages(drive_), allocation_length);
  if (page != kTranslateAddress || !drive_.firmware.address_translation)
    return invalid_cdb_field(2);
  if (answer_.empty() || answer_[0] != kTranslateAddress)
    return check_condition(kCommandSequenceError);
  return good(answer_, allocation_length);
}

}  // namespace platter::virtual_drive

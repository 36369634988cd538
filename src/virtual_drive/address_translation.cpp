#include "virtual_drive/address_translation.h"

#include <algorithm>

#include "scsi/bytes.h"

namespace platter::virtual_drive {
namespace {

constexpr std::uint8_t kSupportedPages = 0x00, kTranslateAddress = 0x40;
constexpr std::uint8_t kReservedArea = 0x80, kAlternateSector = 0x40;

std::vector<std::uint8_t> supported_pages(const Personality& drive) {
  if (!drive.firmware.address_translation) return {kSupportedPages, 0, 0, 1, kSupportedPages};
  return {kSupportedPages, 0, 0, 2, kSupportedPages, kTranslateAddress};
}

}  // namespace

AddressTranslation::AddressTranslation(const Personality& drive, const engine::LayoutMap& map)
    : drive_(drive), places_(drive, map) {}

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

bool AddressTranslation::takes(std::uint8_t format) const {
  const auto& names = drive_.firmware.address_formats;
  return std::ranges::find(names, name_of(static_cast<AddressFormat>(format))) != names.end();
}

Reply AddressTranslation::translate(std::span<const std::uint8_t> parameters) {
  if (parameters.size() != 14) return invalid_parameter(2);
  if (!takes(parameters[4])) return invalid_parameter(4);
  if (!takes(parameters[5])) return invalid_parameter(5);
  const auto supplied = static_cast<AddressFormat>(parameters[4]);
  const auto wanted = static_cast<AddressFormat>(parameters[5]);
  if (is_place(supplied) && !is_place(wanted) && !drive_.firmware.translates_back)
    return invalid_parameter(5);

  ToldPlace place;
  const std::uint8_t* address = &parameters[6];
  if (is_place(supplied)) {
    const auto found = places_.at(supplied, static_cast<std::uint32_t>(scsi::get_be(address, 3)),
                                  address[3], scsi::get_be32(address + 4));
    if (!found) return invalid_parameter(6);
    place = *found;
  } else {
    const bool is_short = supplied == AddressFormat::block;
    if (is_short && scsi::get_be32(address + 4) != 0) return invalid_parameter(10);
    const std::uint64_t lbn = scsi::get_be(address, is_short ? 4 : 8);
    if (lbn >= drive_.blocks) return out_of_range(lbn);
    place = places_.of_block(lbn);
  }

  answer_.assign(6, 0);
  answer_[0] = kTranslateAddress;
  answer_[4] = parameters[4];
  answer_[5] = parameters[5];
  if (place.alternate) answer_[5] |= kAlternateSector;
  if (!place.lbn) answer_[5] |= kReservedArea;
  if (is_place(wanted)) {
    answer_.resize(14, 0);
    scsi::put_be(&answer_[6], 3, place.cylinder);
    answer_[9] = static_cast<std::uint8_t>(place.head);
    scsi::put_be(&answer_[10], 4, place.within_track(wanted));
  } else if (place.lbn) {
    answer_.resize(14, 0);
    scsi::put_be(&answer_[6], wanted == AddressFormat::block ? 4 : 8, *place.lbn);
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

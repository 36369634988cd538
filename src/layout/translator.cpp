#include "layout/translator.h"

namespace platter::layout {

DriveTranslator::DriveTranslator(scsi::Drive& drive, std::string name)
    : drive_(drive), name_(std::move(name)), bytes_(drive, name_) {
  const model::Identity& identity = drive_.identify();
  heads_ = identity.heads;
  cylinders_ = identity.cylinders;
}

std::optional<scsi::Translation> DriveTranslator::translate(std::uint64_t lbn) {
  auto found = drive_.translate(lbn);
  if (!found || found->format != scsi::AddressFormat::bytes_from_index) return found;
  in_bytes_ = true;
  found->format = scsi::AddressFormat::physical_sector;
  for (scsi::PhysicalAddress& place : found->places) place = bytes_.in_sectors(place);
  return found;
}

std::optional<scsi::PlaceContent> DriveTranslator::translate_back(
    const scsi::PhysicalAddress& place) {
  return drive_.translate_back(in_bytes_ ? bytes_.in_bytes(place) : place);
}

// A list in bytes from the index says nothing of sectors unless the drive translates from such
// bytes; one in sectors says nothing of bytes.
std::optional<scsi::DefectList> DriveTranslator::defects(bool primary, bool grown) {
  auto list = drive_.defects(primary, grown);
  if (!list) return std::nullopt;
  const bool list_in_bytes = list->format == scsi::AddressFormat::bytes_from_index;
  list->format = scsi::AddressFormat::physical_sector;
  if (!list_in_bytes) return in_bytes_ && !list->places.empty() ? std::nullopt : list;
  for (scsi::PhysicalAddress& place : list->places) {
    if (in_bytes_) {
      place = bytes_.in_sectors(place);
    } else if (const auto sector = drive_.sector_at(place)) {
      place = *sector;
    } else {
      return std::nullopt;
    }
  }
  return list;
}

}  // namespace platter::layout

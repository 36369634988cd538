#include "layout/translator.h"

namespace platter::layout {

DriveTranslator::DriveTranslator(scsi::Drive& drive, std::string name)
    : drive_(drive), name_(std::move(name)), bytes_(drive, name_) {
  const model::Identity& identity = drive_.identify();
  heads_ = identity.heads;
  cylinders_ = identity.cylinders;
}

std::optional<scsi::Translation> DriveTranslator::translate(std::uint64_t lbn) {
  auto found = drive_.addresses().translate(lbn);
  if (!found || found->format != scsi::AddressFormat::bytes_from_index) return found;
  in_bytes_ = true;
  found->format = scsi::AddressFormat::physical_sector;
  for (scsi::PhysicalAddress& place : found->places) place = bytes_.in_sectors(place);
  return found;
}

std::optional<scsi::PlaceContent> DriveTranslator::translate_back(
    const scsi::PhysicalAddress& place) {
  return drive_.addresses().translate_back(in_bytes_ ? bytes_.in_bytes(place) : place);
}

// A list in bytes from the index names sectors where the drive translates from such bytes; else
// their place in order from the index, if a sector takes the bytes of a block there.
std::optional<DefectPlaces> DriveTranslator::defects(bool primary, bool grown) {
  auto list = drive_.addresses().defects(primary, grown);
  if (!list) return std::nullopt;
  DefectPlaces found;
  if (list->format == scsi::AddressFormat::physical_sector) {
    found.places = std::move(list->places);
    if (in_bytes_) found.unit = DefectUnit::tracks;
    return found;
  }
  found.format = "bytes from the index";
  for (const scsi::PhysicalAddress& place : list->places) {
    const auto sector = in_bytes_ ? std::optional(bytes_.in_sectors(place))
                                  : drive_.addresses().sector_at(place);
    if (!sector) {
      found.unit = DefectUnit::sectors_from_index;
      break;
    }
    found.places.push_back(*sector);
  }
  if (found.unit == DefectUnit::sectors) return found;
  found.places = std::move(list->places);
  for (scsi::PhysicalAddress& place : found.places) place.sector /= drive_.block_bytes();
  return found;
}

std::optional<std::uint32_t> DriveTranslator::sector_from_index(std::uint64_t lbn) {
  if (in_bytes_) return std::nullopt;
  const auto place = drive_.addresses().bytes_from_index(lbn);
  if (!place) return std::nullopt;
  return place->sector / drive_.block_bytes();
}

}  // namespace platter::layout

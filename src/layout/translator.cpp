#include "layout/translator.h"

namespace platter::layout {

DriveTranslator::DriveTranslator(scsi::Drive& drive, std::string name)
    : drive_(drive), name_(std::move(name)) {
  const model::Identity& identity = drive_.identify();
  heads_ = identity.heads;
  cylinders_ = identity.cylinders;
}

std::optional<scsi::Translation> DriveTranslator::translate(std::uint64_t lbn) {
  return drive_.translate(lbn);
}

std::optional<scsi::PlaceContent> DriveTranslator::translate_back(const scsi::PhysicalAddress& place) {
  return drive_.translate_back(place);
}

std::optional<scsi::DefectList> DriveTranslator::defects(bool primary, bool grown) {
  return drive_.defects(primary, grown);
}

}  // namespace platter::layout

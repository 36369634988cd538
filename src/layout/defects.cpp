#include "layout/defects.h"

namespace platter::layout {

DefectsByTrack::DefectsByTrack(const Defects& defects) {
  for (const auto* list : {&defects.primary, &defects.primary_tracks})
    for (const scsi::PhysicalAddress& defect : *list)
      sectors_[{defect.cylinder, defect.head}].insert(defect.sector);
}

const std::set<std::uint32_t>& DefectsByTrack::sectors_on(TrackPlace place) const {
  static const std::set<std::uint32_t> kNone;
  const auto listed = sectors_.find({place.cylinder, place.head});
  return listed == sectors_.end() ? kNone : listed->second;
}

}  // namespace platter::layout

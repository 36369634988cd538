// What a figure tells apart where its model states no error of it.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/drive_model.h"

namespace platter::fleet {

// Of one model. Differences up to there are no finding: the figures would not show them.
class Resolution {
 public:
  explicit Resolution(const model::DriveModel& model);

  // Of a figure by its path and unit, in that unit. 0: it is exact, as a count or a setting is.
  //
  //   times whose method is the MTBRC   one sector of the longest track passing the head: accesses
  //                                     are apart by whole sectors
  //   other times                       1 us: what hosts stamp commands with
  //   the bus, a block                  that over the 256 blocks of the longest READ(6)
  //   the rotation                      1 rpm: what speeds are published in
  double of(std::string_view path, std::string_view unit) const;

  // Of shares of a surface's sectors: one sector of each track.
  double of_sectors() const { return longest_track_ == 0 ? 0 : 1.0 / longest_track_; }

 private:
  std::uint32_t longest_track_ = 0;
  double revolution_ns_ = 0;  // 0: not known
};

}  // namespace platter::fleet

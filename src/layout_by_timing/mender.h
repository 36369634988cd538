// The pattern's next band is not as predicted: why, and the map goes on behind it.
#pragma once

#include <span>

#include "layout_by_timing/learner.h"
#include "layout_by_timing/map_so_far.h"
#include "layout_by_timing/settler.h"

namespace platter::layout_by_timing {

class Mender {
 public:
  Mender(MapSoFar& map, Settler& settler, Learner& learner)
      : map_(map), settler_(settler), learner_(learner) {}

  // `ends`: readings of late tracks' ends, which are not where the band has them.
  void explain(Run band, std::span<const Reading> ends);

 private:
  bool mend_by_other_skew(Run band, const Reading& early);
  bool mend_by_other_format(const Run& band, const Reading& early);
  bool mend_by_shift();
  bool mend_inside(Run& band, std::span<const Reading> ends = {});
  void mend_start();
  bool mend_by_late_loss();
  void mend_start_by_walk();
  void follow_last_again(Run last);
  bool mend_by_expected_length(const Run& found);
  bool mend_by_rest_of_band(Run found);
  void go_on_with(Run found);

  MapSoFar& map_;
  Settler& settler_;
  Learner& learner_;
};

}  // namespace platter::layout_by_timing

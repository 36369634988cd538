// When a pattern is learnt anew. One that was mended where the drive was in disorder may go on to
// get a tenth of the bands wrong, each of which takes as long as hundreds that are right, where one
// that is learnt there gets none wrong.
#pragma once

#include <cstddef>

#include "model/units.h"

namespace platter::layout_by_timing {

class PatternDoubt {
 public:
  // A pattern was learnt, which took so long.
  void learnt(std::size_t runs, Nanoseconds took_ns);
  // The share of bands that were wrong lately, behind so many runs. It is due once the pattern has
  // been wrong for three times as long as learning takes, if before it was right for some rounds:
  // what both cost together is then at most four times the cheaper. Each time that did not help it
  // may be wrong twice as long.
  bool is_due(double wrong, std::size_t runs, std::size_t period, Nanoseconds now_ns);

 private:
  std::size_t right_since_ = 0;     // run
  Nanoseconds wrong_since_ns_ = 0;  // 0: it is right
  Nanoseconds learning_ns_ = 0;
  double patience_ = kPatience;  // times that learning takes
  bool was_right_ = false;       // of this drive a pattern has been right for some rounds

  static constexpr double kPatience = 3;
};

}  // namespace platter::layout_by_timing

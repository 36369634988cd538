#include "layout_by_timing/pattern_doubt.h"

namespace platter::layout_by_timing {

void PatternDoubt::learnt(std::size_t runs, Nanoseconds took_ns) {
  learning_ns_ = took_ns;
  right_since_ = runs;
  wrong_since_ns_ = 0;
}

bool PatternDoubt::is_due(double wrong, std::size_t runs, std::size_t period, Nanoseconds now_ns) {
  constexpr double kWrong = 0.05, kRight = 0.02;  // of the bands; between them nothing is told
  constexpr std::size_t kRounds = 4;
  if (wrong_since_ns_ == 0 && wrong > kWrong) wrong_since_ns_ = now_ns;
  if (wrong_since_ns_ > 0 && wrong < kRight) wrong_since_ns_ = 0, right_since_ = runs;
  if (wrong_since_ns_ == 0) {
    if (runs > right_since_ + kRounds * period) was_right_ = true, patience_ = kPatience;
    return false;
  }
  if (!was_right_ ||
      static_cast<double>(now_ns - wrong_since_ns_) < patience_ * static_cast<double>(learning_ns_))
    return false;
  patience_ *= 2;
  return true;
}

}  // namespace platter::layout_by_timing

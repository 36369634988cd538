// A straight line through how far tracks are off, by their number, with its error.
#pragma once

#include <cmath>
#include <vector>

namespace platter::layout_by_timing {

class Line {
 public:
  void add(double track, double off_rev, double weight) {
    w_ += weight, x_ += weight * track, y_ += weight * off_rev;
    xx_ += weight * track * track, xy_ += weight * track * off_rev;
  }
  double slope() const { return spread() > 0 ? (w_ * xy_ - x_ * y_) / spread() : 0; }
  double at(double track) const { return w_ > 0 ? y_ / w_ + slope() * (track - x_ / w_) : 0; }
  // One standard error at a track, readings of weight 1 having that of `sigma`.
  double error_at(double track, double sigma) const {
    if (w_ <= 0) return 1;
    const double dx = track - x_ / w_;
    return sigma * std::sqrt(1 / w_ + (spread() > 0 ? dx * dx * w_ / spread() : 1));
  }

 private:
  double spread() const { return w_ * xx_ - x_ * x_; }
  double w_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0;
};

}  // namespace platter::layout_by_timing

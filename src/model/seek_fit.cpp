#include "model/seek_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace platter::model {
namespace {

constexpr std::size_t kFewest = 3;  // points of a branch

struct Line {
  double at_zero = 0, slope = 0;
  double squares = 0;  // of the residuals, summed
};

// The least-squares line through points that come one by one.
class LineThrough {
 public:
  void add(double x, double y) {  // Welford's way: no differences of large sums
    const double n = static_cast<double>(++count_);
    const double dx = x - mean_x_, dy = y - mean_y_;
    mean_x_ += dx / n;
    mean_y_ += dy / n;
    xx_ += dx * (x - mean_x_);
    xy_ += dx * (y - mean_y_);
    yy_ += dy * (y - mean_y_);
  }
  Line line() const {
    const double slope = xx_ > 0 ? xy_ / xx_ : 0;
    return {mean_y_ - slope * mean_x_, slope, std::max(0.0, yy_ - slope * xy_)};
  }

 private:
  std::size_t count_ = 0;
  double mean_x_ = 0, mean_y_ = 0, xx_ = 0, xy_ = 0, yy_ = 0;
};

}  // namespace

double SeekFit::time_ms(double cylinders) const {
  return cylinders <= knee ? a_ms + b_ms * std::sqrt(cylinders) : c_ms + e_ms * cylinders;
}

std::optional<SeekFit> fit_seek(const Seek& seek) {
  const auto& points = seek.points;
  if (points.size() < 2 * kFewest) return std::nullopt;
  std::vector<Line> coasting(points.size());  // from each point to the last
  LineThrough rest;
  for (std::size_t i = points.size(); i-- > 0;) {
    rest.add(points[i].cylinders, points[i].time_ms);
    coasting[i] = rest.line();
  }
  std::optional<SeekFit> best;
  double least = 0;
  LineThrough root;
  for (std::size_t i = 0; i + kFewest < points.size(); ++i) {
    root.add(std::sqrt(points[i].cylinders), points[i].time_ms);
    if (i + 1 < kFewest) continue;
    const Line near = root.line(), far = coasting[i + 1];
    if (best && near.squares + far.squares >= least) continue;
    least = near.squares + far.squares;
    best = SeekFit{near.at_zero,        near.slope,
                   far.at_zero,         far.slope,
                   points[i].cylinders, std::sqrt(least / static_cast<double>(points.size()))};
  }
  return best;
}

}  // namespace platter::model

#include "extract/map_forecast.h"

namespace platter::extract {

std::optional<double> MapForecast::left_s(double share, double took_s) {
  constexpr double kLearnt = 0.01;  // of a map: by then its pattern is mostly known
  if (!first_ && share >= kLearnt) first_ = {share, took_s};
  if (told_ == kTold.size() || share < kTold[told_] || share >= 1) return std::nullopt;
  while (told_ < kTold.size() && share >= kTold[told_]) ++told_;
  const bool known = share > first_->share && took_s > first_->took_s;
  const Point from = known ? *first_ : Point{};
  return (took_s - from.took_s) / (share - from.share) * (1 - share);
}

}  // namespace platter::extract

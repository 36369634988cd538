#include "layout_by_timing/band_width.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace platter::layout_by_timing {
namespace {

template <class Lines>
std::pair<double, double> range_at(const Lines& corners, double bands) {
  double least = corners.front().at(bands), most = least;
  for (const auto& line : corners) {
    least = std::min(least, line.at(bands));
    most = std::max(most, line.at(bands));
  }
  return {least, most};
}

template <class Lines>
std::pair<double, double> range_of_slopes(const Lines& corners) {
  const auto by_slope = [](const auto& a, const auto& b) { return a.slope < b.slope; };
  const auto [flat, steep] = std::ranges::minmax_element(corners, by_slope);
  return {flat->slope, steep->slope};
}

}  // namespace

BandWidth::Lines BandWidth::any(double least_slope, double most_slope) {
  return {{{least_slope, 0}, {most_slope, 0}, {most_slope, 1}, {least_slope, 1}}};
}

BandWidth::BandWidth(std::uint32_t tracks) : lines_(any(tracks - 1.0, tracks + 1.0)) {}

// By the lines' middle, which for a whole number of tracks is that number.
std::uint64_t BandWidth::Lines::sum_after(std::uint64_t more) const {
  if (more == 0) return sum;
  const auto [least, most] = range_at(corners, static_cast<double>(bands + more));
  return std::max(sum, static_cast<std::uint64_t>(std::max(0.0, (least + most) / 2)));
}

std::uint32_t BandWidth::Lines::tracks_after(std::uint64_t others) const {
  const std::uint64_t from = sum_after(others);
  return static_cast<std::uint32_t>(std::max(from, sum_after(others + 1)) - from);
}

// A whole number of tracks leaves lines that are a hair steeper or flatter possible for ever.
bool BandWidth::Lines::is_likely(std::uint32_t tracks) const {
  constexpr double kLeastShare = 0.004;
  const auto [least, most] = range_at(corners, static_cast<double>(bands + 1));
  const auto from = static_cast<double>(sum + tracks);
  const double part = std::min(most, from + 1) - std::max(least, from);
  return part > kLeastShare * std::min(1.0, most - least);
}

// Of the lines only those that have that sum. Whether any is left; if not, they stay.
bool BandWidth::Lines::hold(std::uint64_t of_bands, std::uint64_t of_sum) {
  const auto x = static_cast<double>(of_bands), least = static_cast<double>(of_sum);
  const auto cut = [](const std::vector<Line>& from, auto inside_by) {
    std::vector<Line> left;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const Line &a = from[i], &b = from[(i + 1) % from.size()];
      const double in_a = inside_by(a), in_b = inside_by(b);
      if (in_a >= 0) left.push_back(a);
      if ((in_a >= 0) == (in_b >= 0)) continue;
      const double share = in_a / (in_a - in_b);
      left.push_back({std::lerp(a.slope, b.slope, share), std::lerp(a.at_zero, b.at_zero, share)});
    }
    return left;
  };
  std::vector<Line> left = cut(corners, [&](const Line& line) { return line.at(x) - least; });
  left = cut(left, [&](const Line& line) { return least + 1 - line.at(x); });
  if (left.empty()) return false;
  corners = std::move(left);
  return true;
}

bool BandWidth::Lines::take(std::uint32_t tracks) {
  if (!hold(bands, sum) || !hold(bands + 1, sum + tracks)) return false;
  pass(tracks);
  return true;
}

// Lines that begin here, with the slopes that are known.
BandWidth::Lines BandWidth::with_slopes(double least, double most) const {
  const auto [flat, steep] = range_of_slopes(lines_.corners);
  const double more = steep - flat + 1e-3;
  const double flattest = std::max(least, flat - more);
  const double steepest = std::min(most, steep + more);
  return flattest < steepest ? any(flattest, steepest) : any(least, most);
}

void BandWidth::lose_count() {
  const auto [flat, steep] = range_of_slopes(lines_.corners);
  const double middle = (flat + steep) / 2;
  lines_ = with_slopes(std::max(0.0, middle - 1), middle + 1);
  doubted_.reset();
}

// Behind a band that no line has.
BandWidth::Lines BandWidth::anew(std::uint32_t tracks) const {
  constexpr std::uint64_t kLong = 8;  // bands that tell a slope
  const double least = tracks - 1.0, most = tracks + 1.0;
  Lines lines = lines_.bands >= kLong ? with_slopes(least, most) : any(least, most);
  lines.take(tracks);
  return lines;
}

void BandWidth::seen(std::uint32_t tracks) {
  constexpr int kSure = 4;  // bands that fit
  const bool fits = lines_.is_likely(tracks) && lines_.take(tracks);
  const bool fits_doubted = doubted_ && doubted_->is_likely(tracks) && doubted_->take(tracks);
  if (fits) {
    if (!fits_doubted || ++fitting_ >= kSure) doubted_.reset();
    return;
  }
  if (fits_doubted) {
    lines_ = *std::exchange(doubted_, std::nullopt);
    return;
  }
  doubted_ = anew(tracks);
  fitting_ = 0;
  lines_.pass(lines_.tracks_after(0));
}

void BandWidth::passed(std::uint32_t tracks) {
  lines_.pass(tracks);
  if (doubted_) doubted_->pass(tracks);
}

}  // namespace platter::layout_by_timing

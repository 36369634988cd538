#include "layout_by_timing/frame.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "statistics/circular.h"

namespace platter::layout_by_timing {
namespace {

constexpr int kFirstReads = 60, kReads = 5;
constexpr std::array<std::size_t, 6> kWidths{1, 2, 4, 8, 16, 32};  // references for a prediction
constexpr double kForget = 0.9;                                    // of a width's earlier errors
constexpr double kShortest_s = 0.5, kLongest_s = 4;

}  // namespace

Frame::Frame(TimedBlocks& drive, double period_ns, std::uint64_t reference)
    : drive_(drive),
      period_ns_(period_ns),
      reference_(reference),
      origin_ns_(drive.now_ns()),
      wrong_(kWidths.size(), 0.0) {
  if (!drive.may_repeat()) return;
  std::vector<double> seen = reads(kFirstReads, 0);
  if (seen.empty()) return;
  const double first = seen.front();
  for (double& rev : seen) rev = statistics::wrap_rev(rev - first);
  constant_rev_ = first + statistics::median(seen);
  // The period is known to some millionths: over half a second that is less than the jitter.
  std::vector<double> off;
  for (const double rev : seen) off.push_back(rev - statistics::median(seen));
  jitter_ = Jitter::of(off);
  take(static_cast<double>(drive_.now_ns() - origin_ns_) * 1e-9, 0);
}

double Frame::nominal_rev(Nanoseconds time_ns) const {
  return static_cast<double>(time_ns - origin_ns_) / period_ns_;
}

// Few references: their mean; else the line through the last ones.
double Frame::predicted_rev(double time_s, std::size_t of_last) const {
  const std::size_t n = std::min(of_last, offsets_.size());
  if (n == 0) return 0;
  double t = 0, y = 0;
  for (std::size_t i = offsets_.size() - n; i < offsets_.size(); ++i)
    t += offsets_[i].time_s, y += offsets_[i].rev;
  t /= static_cast<double>(n), y /= static_cast<double>(n);
  double tt = 0, ty = 0;
  for (std::size_t i = offsets_.size() - n; i < offsets_.size(); ++i) {
    const double dt = offsets_[i].time_s - t;
    tt += dt * dt, ty += dt * (offsets_[i].rev - y);
  }
  return n < 3 || tt <= 0 ? y : y + ty / tt * (time_s - t);
}

double Frame::angle_rev(Nanoseconds time_ns) const {
  const double drift = predicted_rev(static_cast<double>(time_ns - origin_ns_) * 1e-9,
                                     kWidths[width_]);
  return statistics::turn_rev(nominal_rev(time_ns) - constant_rev_ - drift);
}

void Frame::take(double time_s, double rev) {
  if (!offsets_.empty()) {
    for (std::size_t i = 0; i < kWidths.size(); ++i)
      wrong_[i] = kForget * wrong_[i] +
                  (1 - kForget) * std::min(std::abs(rev - predicted_rev(time_s, kWidths[i])),
                                           10 * jitter_.sigma_rev);
    const double surprise = std::abs(rev - predicted_rev(time_s, kWidths[width_]));
    every_s_ = std::clamp(surprise > 1.5 * jitter_.sigma_rev ? every_s_ * 0.6 : every_s_ * 1.3,
                          kShortest_s, kLongest_s);
    width_ = static_cast<std::size_t>(std::ranges::min_element(wrong_) - wrong_.begin());
  }
  offsets_.push_back({time_s, rev});
  if (offsets_.size() > kWidths.back()) offsets_.pop_front();
  last_s_ = time_s;
}

std::vector<double> Frame::reads(int count, double about_rev) {
  std::vector<double> seen;
  for (int i = 0; i < count; ++i) {
    double due_rev = 0;
    std::uint64_t block = reference_;
    if (!drive_.may_repeat()) {
      if (references_.empty()) break;
      block = references_.back().block;
      due_rev = references_.back().end_rev + references_rev_;
      references_.pop_back();
    }
    if (const auto done = drive_.access(block))
      seen.push_back(statistics::wrap_rev(nominal_rev(done->completed_ns) - constant_rev_ -
                                          due_rev - about_rev));
  }
  return seen;
}

// How far the reference is from where the period alone has it, near the last offset.
std::optional<double> Frame::read_offset() {
  const double about = offsets_.empty() ? 0 : offsets_.back().rev;
  const std::vector<double> seen = reads(kReads, about);
  if (seen.size() < 3) return std::nullopt;
  return about + statistics::median(seen);
}

bool Frame::wants_references() const {
  return !drive_.may_repeat() && references_.size() < kFirstReads + kReads;
}

bool Frame::refer_to(std::vector<Reference> references) {
  constexpr double kMostScatter_rev = 0.01;
  const double now_s = static_cast<double>(drive_.now_ns() - origin_ns_) * 1e-9;
  const double about = predicted_rev(now_s, kWidths[width_]);
  std::vector<Reference> before = std::exchange(references_, std::move(references));
  const double rev_before = std::exchange(references_rev_, 0);
  const std::vector<double> seen = reads(kFirstReads, about);
  std::vector<double> off;
  const double middle = seen.empty() ? 0 : statistics::median(seen);
  for (const double rev : seen) off.push_back(statistics::wrap_rev(rev - middle));
  if (seen.size() < kFirstReads / 2 || statistics::mad_sigma(off) > kMostScatter_rev) {
    references_ = std::move(before);
    references_rev_ = rev_before;
    return false;
  }
  jitter_ = Jitter::of(off);
  references_rev_ = middle;
  if (offsets_.empty()) take(now_s, 0);
  return true;
}

void Frame::keep() {
  const double now_s = static_cast<double>(drive_.now_ns() - origin_ns_) * 1e-9;
  if (now_s - last_s_ < every_s_) return;
  last_s_ = now_s;
  if (const auto rev = read_offset())
    take(static_cast<double>(drive_.now_ns() - origin_ns_) * 1e-9, *rev);
}

}  // namespace platter::layout_by_timing

#include "estimate/phase_drift.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "estimate/rotation.h"
#include "statistics/circular.h"
#include "statistics/robust.h"

namespace platter::estimate {
namespace {

constexpr double kStraightLine_s = 1e9;
constexpr std::array<double, 6> kWidths_s = {kStraightLine_s, 8, 4, 2, 1, 0.5};
constexpr double kBurstGap_s = 0.1;
// More re-reads in a row take so long that the phase moves meanwhile.
constexpr std::size_t kMostInBurst = 8;

constexpr double kBillion = 1e9;

}  // namespace

double anchor_phase_rev(const model::Rotation& rotation, const Sample& anchor) {
  return statistics::turn_rev(phase_rev(rotation, anchor.completed_ns) -
                              static_cast<double>(anchor.group) / kBillion);
}

std::int64_t billionths(double angle_rev) {
  const std::int64_t group = std::llround(statistics::turn_rev(angle_rev) * kBillion);
  return group == 0 ? static_cast<std::int64_t>(kBillion) : group;
}

std::optional<std::uint64_t> reference_lbn(const Samples& samples) {
  for (const Experiment kind : {Experiment::anchor, Experiment::rotation})
    for (const Sample& s : samples)
      if (s.experiment == kind && s.group == 0) return s.lbn;
  return std::nullopt;
}

Samples anchors_about_angles(const Samples& samples) {
  constexpr Nanoseconds kMargin_ns = kSecond;
  struct Span {
    Nanoseconds first_ns = std::numeric_limits<Nanoseconds>::max();
    Nanoseconds last_ns = std::numeric_limits<Nanoseconds>::min();
  };
  std::map<std::uint32_t, Span> sessions;
  for (const Sample& s : samples) {
    if (s.experiment != Experiment::angle) continue;
    Span& span = sessions[s.session];
    span.first_ns = std::min(span.first_ns, s.issued_ns - kMargin_ns);
    span.last_ns = std::max(span.last_ns, s.completed_ns + kMargin_ns);
  }
  Samples anchors;
  for (const Sample& s : samples) {
    const auto span = sessions.find(s.session);
    if (s.experiment == Experiment::anchor && span != sessions.end() &&
        s.completed_ns > span->second.first_ns && s.issued_ns < span->second.last_ns)
      anchors.push_back(s);
  }
  return anchors;
}

namespace {

struct Run {
  std::vector<double> phases;
  double time_s = 0;  // the mean
  std::uint32_t session = 0;
};

// Re-reads close behind one another. `epoch_ns` becomes the first one's completion.
std::vector<Run> runs_of(const Samples& samples, const model::Rotation& rotation,
                         Nanoseconds& epoch_ns) {
  std::vector<Run> runs;
  double last_s = 0;
  for (const Sample& s : samples) {
    if (s.experiment != Experiment::anchor) continue;
    if (runs.empty()) epoch_ns = s.completed_ns;
    const double time_s = static_cast<double>(s.completed_ns - epoch_ns) * 1e-9;
    if (runs.empty() || s.session != runs.back().session || time_s - last_s > kBurstGap_s ||
        runs.back().phases.size() >= kMostInBurst)
      runs.push_back({{}, 0, s.session});
    last_s = time_s;
    Run& run = runs.back();
    run.phases.push_back(anchor_phase_rev(rotation, s));
    run.time_s += (time_s - run.time_s) / static_cast<double>(run.phases.size());
  }
  return runs;
}

// Of the better 90 %: a late burst says nothing about the width.
double root_mean_square_of_most(std::vector<double> misses) {
  std::sort(misses.begin(), misses.end());
  const std::size_t kept = misses.size() - misses.size() / 10;
  double squares = 0;
  for (std::size_t i = 0; i < kept; ++i) squares += misses[i] * misses[i];
  return std::sqrt(squares / static_cast<double>(kept));
}

}  // namespace

PhaseDrift::PhaseDrift(const Samples& samples, const model::Rotation& rotation) {
  std::vector<double> deviations;
  for (const Run& run : runs_of(samples, rotation, epoch_ns_)) {
    // Relative to the burst before, so that the phase never jumps by a turn.
    const double near = bursts_.empty() ? run.phases.front() : bursts_.back().phase_rev;
    std::vector<double> unwrapped;
    for (double phase : run.phases) unwrapped.push_back(near + statistics::wrap_rev(phase - near));
    const double middle = statistics::median(unwrapped);
    const auto n = static_cast<double>(unwrapped.size());
    if (unwrapped.size() > 1)
      for (double phase : unwrapped)
        deviations.push_back((phase - middle) * std::sqrt(n / (n - 1)));
    bursts_.push_back({run.time_s, middle, n, run.session});
  }
  if (bursts_.empty()) return;
  std::stable_sort(bursts_.begin(), bursts_.end(), [](const Burst& a, const Burst& b) {
    return std::pair(a.session, a.time_s) < std::pair(b.session, b.time_s);
  });
  noise_rev_ = statistics::clipped_deviation(deviations);
  choose_width();
}

void PhaseDrift::choose_width() {
  double best = std::numeric_limits<double>::infinity();
  width_s_ = kStraightLine_s;
  error_rev_ = noise_rev_ / std::sqrt(bursts_.front().weight);
  if (bursts_.size() < 4) return;
  std::vector<double> about_line;
  for (const Burst& burst : bursts_)
    about_line.push_back(
        burst.phase_rev -
        line_at(burst.time_s, burst.session, kStraightLine_s, bursts_.size()).value);
  wander_rev_ = statistics::clipped_deviation(about_line);
  for (double width : kWidths_s) {
    std::vector<double> misses;
    for (std::size_t i = 0; i < bursts_.size(); ++i)
      if (const auto miss = miss_rev(i, width)) misses.push_back(std::abs(*miss));
    if (misses.empty()) return;
    const double score = root_mean_square_of_most(std::move(misses));
    if (score < 0.97 * best) {  // the wider one unless the narrower is really better
      best = score;
      width_s_ = width;
    }
  }
  learn_error(best);
}

// A left-out burst misses by its own noise and by the error of the smooth line.
void PhaseDrift::learn_error(double miss_of_left_out_rev) {
  const double own = 1.25 * noise_rev_ / std::sqrt(bursts_.front().weight);
  std::vector<double> variances;
  for (std::size_t i = 0; i < bursts_.size(); ++i)
    variances.push_back(line_at(bursts_[i].time_s, bursts_[i].session, width_s_, i).variance);
  usual_variance_ = statistics::median(variances);
  // What is left of so few misses may be small by chance: not less than the re-reads' own noise
  // gives.
  const double by_noise = 1.1 * noise_rev_ * std::sqrt(usual_variance_);  // of medians of four
  error_rev_ = std::sqrt(
      std::max(miss_of_left_out_rev * miss_of_left_out_rev - own * own, by_noise * by_noise));
}

std::optional<double> PhaseDrift::miss_rev(std::size_t burst, double width_s) const {
  constexpr std::size_t kFewest = 4;
  const Burst& it = bursts_[burst];
  if (of_session(it.session).size() < kFewest) return std::nullopt;
  return it.phase_rev - line_at(it.time_s, it.session, width_s, burst).value;
}

std::span<const PhaseDrift::Burst> PhaseDrift::of_session(std::uint32_t session) const {
  const auto first = std::partition_point(
      bursts_.begin(), bursts_.end(), [&](const Burst& burst) { return burst.session < session; });
  const auto end = std::partition_point(
      first, bursts_.end(), [&](const Burst& burst) { return burst.session == session; });
  return {first, end};
}

// Local straight line with Gaussian weights, of which those beyond kReach widths are left out.
PhaseDrift::Smooth PhaseDrift::line_at(double time_s, std::uint32_t session, double width_s,
                                       std::size_t without) const {
  constexpr double kReach = 5;
  const std::span<const Burst> bursts = of_session(session);
  double v0 = 0, v1 = 0, v2 = 0;  // moments of the squared weights, by what a burst scatters
  double w0 = 0, w1 = 0, w2 = 0, y0 = 0, y1 = 0;
  double widened = width_s;
  for (int attempt = 0; attempt < 8; ++attempt, widened *= 2) {
    w0 = w1 = w2 = y0 = y1 = v0 = v1 = v2 = 0;
    auto at = std::partition_point(bursts.begin(), bursts.end(), [&](const Burst& burst) {
      return burst.time_s < time_s - kReach * widened;
    });
    for (; at != bursts.end(); ++at) {
      const Burst& burst = *at;
      const double t = burst.time_s - time_s;
      const double z = t / widened;
      if (z > kReach) break;
      if (&burst == bursts_.data() + without) continue;
      const double w = burst.weight * std::exp(-0.5 * z * z);
      w0 += w;
      w1 += w * t;
      w2 += w * t * t;
      y0 += w * burst.phase_rev;
      y1 += w * t * burst.phase_rev;
      const double v = w * w / burst.weight;
      v0 += v;
      v1 += v * t;
      v2 += v * t * t;
    }
    if (w0 > 1.0) break;  // something is near enough
  }
  const double determinant = w0 * w2 - w1 * w1;
  if (w0 <= 0) return {bursts_.front().phase_rev, 1.0 / bursts_.front().weight};
  if (determinant <= 1e-9 * w0 * w2) return {y0 / w0, v0 / (w0 * w0)};
  return {(y0 * w2 - y1 * w1) / determinant,
          (v0 * w2 * w2 - 2 * v1 * w1 * w2 + v2 * w1 * w1) / (determinant * determinant)};
}

double PhaseDrift::error_at_rev(Nanoseconds time_ns, std::uint32_t session) const {
  if (!(usual_variance_ > 0)) return error_rev_;
  const double time_s = static_cast<double>(time_ns - epoch_ns_) * 1e-9;
  const double here = line_at(time_s, session, width_s_, bursts_.size()).variance;
  return error_rev_ * std::sqrt(here / usual_variance_);
}

double PhaseDrift::at_rev(Nanoseconds time_ns, std::uint32_t session) const {
  return line_at(static_cast<double>(time_ns - epoch_ns_) * 1e-9, session, width_s_, bursts_.size())
      .value;
}

}  // namespace platter::estimate

#include "estimate/phase_drift.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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

// Of a burst that is left out: its miss, the part of it that is its own, and the line's where a
// completion's is 1; as variances.
struct LeftOut {
  double miss, own, of_line;

  double expected(double scatter) const { return own + scatter * of_line; }
};

// The variance of one completion by which lines err so that the bursts are missed as they are: each
// tells as much as it depends on its line. The worst tenth, of late bursts, tells nothing; not less
// than `least`.
double scatter_of(std::vector<LeftOut> bursts, double least) {
  constexpr int kRounds = 30;
  std::ranges::sort(bursts, {}, [&](const LeftOut& b) { return b.miss / b.expected(least); });
  bursts.resize(bursts.size() - bursts.size() / 10);
  double scatter = least;
  for (int round = 0; round < kRounds; ++round) {
    double told = 0, weights = 0;
    for (const LeftOut& burst : bursts) {
      const double weight = burst.of_line / std::pow(burst.expected(scatter), 2);
      told += weight * (burst.miss - burst.own);
      weights += weight * burst.of_line;
    }
    scatter = weights > 0 ? std::max(least, told / weights) : least;
  }
  return scatter;
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
  for (const Burst& burst : bursts_) {
    Moments& whole =
        whole_.try_emplace(burst.session, Moments{.time_s = burst.time_s}).first->second;
    whole.add(burst, burst.weight);
  }
  noise_rev_ = statistics::clipped_deviation(deviations);
  choose_width();
}

void PhaseDrift::choose_width() {
  double best = std::numeric_limits<double>::infinity();
  width_s_ = kStraightLine_s;
  scatter_rev_ = noise_rev_;
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
  learn_scatter();
}

// A left-out burst misses by its own noise and by the error of the smooth line.
void PhaseDrift::learn_scatter() {
  const double of_median = 1.25 * noise_rev_;
  // What is left of so few misses may be small by chance: not less than the re-reads' own noise
  // gives.
  const double least = std::pow(1.1 * noise_rev_, 2);  // of medians of four
  std::vector<LeftOut> left_out;
  for (std::size_t i = 0; i < bursts_.size(); ++i) {
    const Burst& it = bursts_[i];
    if (const auto miss = miss_rev(i, width_s_))
      left_out.push_back({*miss * *miss, of_median * of_median / it.weight,
                          line_at(it.time_s, it.session, width_s_, i).variance});
  }
  scatter_rev_ = std::sqrt(scatter_of(std::move(left_out), least));
}

std::optional<double> PhaseDrift::miss_rev(std::size_t burst, double width_s) const {
  constexpr std::size_t kFewest = 4;
  const Burst& it = bursts_[burst];
  const std::span<const Burst> session = of_session(it.session);
  if (session.size() < kFewest) return std::nullopt;
  return it.phase_rev - line_at(it.time_s, it.session, width_s, burst).value;
}

std::span<const PhaseDrift::Burst> PhaseDrift::of_session(std::uint32_t session) const {
  const auto first = std::partition_point(
      bursts_.begin(), bursts_.end(), [&](const Burst& burst) { return burst.session < session; });
  const auto end = std::partition_point(
      first, bursts_.end(), [&](const Burst& burst) { return burst.session == session; });
  return {first, end};
}

double PhaseDrift::Moments::weight_of(const Burst& burst) const {
  const double z = (burst.time_s - time_s) / width_s;
  return burst.weight * std::exp(-0.5 * z * z);
}

void PhaseDrift::Moments::add(const Burst& burst, double weight, int times) {
  const double t = burst.time_s - time_s;
  const double w = times * weight, v = w * weight / burst.weight;
  w0 += w;
  w1 += w * t;
  w2 += w * t * t;
  y0 += w * burst.phase_rev;
  y1 += w * t * burst.phase_rev;
  v0 += v;
  v1 += v * t;
  v2 += v * t * t;
}

PhaseDrift::Moments PhaseDrift::Moments::seen_from(double other_time_s) const {
  const double t = other_time_s - time_s;
  Moments m = *this;
  m.time_s = other_time_s;
  m.w1 = w1 - t * w0;
  m.w2 = w2 - t * (2 * w1 - t * w0);
  m.y1 = y1 - t * y0;
  m.v1 = v1 - t * v0;
  m.v2 = v2 - t * (2 * v1 - t * v0);
  return m;
}

PhaseDrift::Moments PhaseDrift::whole_at(double time_s, std::uint32_t session,
                                         std::size_t without) const {
  const auto whole = whole_.find(session);
  if (whole == whole_.end()) return {.time_s = time_s};
  Moments others = whole->second;
  if (without < bursts_.size()) others.add(bursts_[without], bursts_[without].weight, -1);
  return others.seen_from(time_s);
}

// Local straight line with Gaussian weights, of which those beyond kReach widths are left out.
PhaseDrift::Moments PhaseDrift::moments_at(double time_s, std::uint32_t session, double width_s,
                                           std::size_t without) const {
  constexpr double kReach = 5;
  constexpr int kAttempts = 8;
  if (width_s == kStraightLine_s) return whole_at(time_s, session, without);
  const std::span<const Burst> bursts = of_session(session);
  Moments m;
  for (int attempt = 0; attempt < kAttempts; ++attempt, width_s *= 2) {
    m = {.time_s = time_s, .width_s = width_s};
    const double from_s = time_s - kReach * width_s, to_s = time_s + kReach * width_s;
    m.first = std::partition_point(bursts.begin(), bursts.end(),
                                   [&](const Burst& burst) { return burst.time_s < from_s; }) -
              bursts.begin();
    for (const Burst& burst : bursts.subspan(m.first)) {
      if (burst.time_s > to_s) break;
      ++m.count;
      if (&burst == bursts_.data() + without) continue;
      m.add(burst, m.weight_of(burst));
    }
    if (m.w0 > 1.0) break;  // something is near enough
  }
  return m;
}

bool PhaseDrift::Moments::has_slope() const { return determinant() > 1e-9 * w0 * w2; }

PhaseDrift::Smooth PhaseDrift::line_at(double time_s, std::uint32_t session, double width_s,
                                       std::size_t without) const {
  const Moments m = moments_at(time_s, session, width_s, without);
  if (m.w0 <= 0) {
    const Burst& first = of_session(session).front();
    return {first.phase_rev, 1.0 / first.weight};
  }
  if (!m.has_slope()) return {m.y0 / m.w0, m.v0 / (m.w0 * m.w0)};
  const double d = m.determinant();
  return {(m.y0 * m.w2 - m.y1 * m.w1) / d,
          (m.v0 * m.w2 * m.w2 - 2 * m.v1 * m.w1 * m.w2 + m.v2 * m.w1 * m.w1) / (d * d)};
}

CommonError PhaseDrift::error_at(Nanoseconds time_ns, std::uint32_t session) const {
  const double time_s = static_cast<double>(time_ns - epoch_ns_) * 1e-9;
  const std::span<const Burst> bursts = of_session(session);
  const Moments m = moments_at(time_s, session, width_s_, bursts_.size());
  const auto first = static_cast<std::size_t>(bursts.data() - bursts_.data());
  if (m.w0 <= 0) return {first, {scatter_rev_ / std::sqrt(bursts.front().weight)}};
  // Of one line for all the errors of its middle and of its slope tell all.
  if (width_s_ == kStraightLine_s) {
    const double middle_s = m.w1 / m.w0, spread = m.w2 - m.w1 * middle_s;
    return {first,
            {scatter_rev_ / std::sqrt(m.w0),
             m.has_slope() ? -scatter_rev_ * middle_s / std::sqrt(spread) : 0.0}};
  }
  CommonError error{first + m.first, {}};
  for (const Burst& burst : bursts.subspan(m.first, m.count)) {
    const double w = m.weight_of(burst);
    const double share = m.has_slope()
                             ? w * (m.w2 - m.w1 * (burst.time_s - time_s)) / m.determinant()
                             : w / m.w0;
    error.by_rev.push_back(scatter_rev_ * share / std::sqrt(burst.weight));
  }
  return error;
}

double PhaseDrift::at_rev(Nanoseconds time_ns, std::uint32_t session) const {
  return line_at(static_cast<double>(time_ns - epoch_ns_) * 1e-9, session, width_s_, bursts_.size())
      .value;
}

}  // namespace platter::estimate

#include "estimate/rotation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "estimate/phase_jumps.h"
#include "estimate/walked_rotation.h"
#include "statistics/circular.h"
#include "statistics/robust.h"
#include "statistics/wander_line.h"

namespace platter::estimate {
namespace {

// A count of revolutions is beyond doubt while its uncertainty is below this share of one.
constexpr double kSureCount_rev = 0.04;
// Completions of one sector scatter by less than this share of a revolution, or it is no rotation.
constexpr double kRegular_rev = 0.1;
constexpr double kBurstGap_rev = 8;

struct Burst {
  double time_ns = 0;  // where the sector passed, from the epoch
  double revolution = 0;
  double weight = 0;
};

model::Rotation rotation_of(const statistics::Estimate& found, bool verifies) {
  constexpr std::uint64_t kDenominator = 1'000'000;
  model::Rotation rotation;
  rotation.numerator_ns =
      static_cast<std::uint64_t>(std::llround(found.value * static_cast<double>(kDenominator)));
  rotation.denominator = kDenominator;
  model::Parameter& period = rotation.period;
  period.value = found.value;
  period.unit = "ns";
  period.error = found.error;
  period.method = verifies ? "completions of repeated VERIFYs of one sector"
                           : "completions of repeated reads of one sector";
  period.samples = found.samples;
  return rotation;
}

// Another time the same spindle may be held at another speed, by the clock of its drive or of the
// host: where sessions differ by more than their errors explain, the error grows by as much (Birge
// 1932).
// Where that is beyond chance, the error holds each of them.
statistics::Estimate mean_of_sessions(const std::vector<statistics::Estimate>& periods) {
  constexpr double kBeyondChance = 3;
  statistics::Estimate mean = statistics::weighted_mean(periods);
  double squares = 0, apart = 0;
  for (const statistics::Estimate& one : periods) {
    squares += std::pow((one.value - mean.value) / one.error, 2);
    apart += std::pow(one.value - mean.value, 2) / static_cast<double>(periods.size());
  }
  if (periods.size() == 1) return mean;
  const double scale = std::max(1.0, std::sqrt(squares / static_cast<double>(periods.size() - 1)));
  mean.error *= scale;
  if (scale > kBeyondChance) mean.error = std::max(mean.error, std::sqrt(apart));
  return mean;
}

// Completions of the LBN that was read most, in order of time.
std::vector<Nanoseconds> completions_of_one_lbn(const Samples& samples) {
  std::map<std::pair<std::uint64_t, bool>, std::size_t> reads;  // by LBN and command
  const auto counts = [](const Sample& s) {
    return !s.write && s.blocks == 1 &&
           (s.experiment == Experiment::rotation || s.experiment == Experiment::anchor);
  };
  for (const Sample& s : samples)
    if (counts(s)) ++reads[{s.lbn, s.verify}];
  const auto most = std::max_element(
      reads.begin(), reads.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<Nanoseconds> times;
  if (most == reads.end()) return times;
  for (const Sample& s : samples)
    if (counts(s) && std::pair(s.lbn, s.verify) == most->first) times.push_back(s.completed_ns);
  std::sort(times.begin(), times.end());
  return times;
}

// Coarse period: the median of the shortest half of the gaps (a gap may be several revolutions
// where an access came late).
double coarse_period_ns(const std::vector<Nanoseconds>& times) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < times.size(); ++i)
    gaps.push_back(static_cast<double>(times[i] - times[i - 1]));
  const double quarter = statistics::quantile_of(gaps, 0.25);
  std::vector<double> single;
  for (double gap : gaps)
    if (gap < 1.5 * quarter && gap > 0.5 * quarter) single.push_back(gap);
  return statistics::median(single);
}

struct FirstPeriod {
  double period_ns = 0, relative_error = 0, noise_ns = 0;
};

// Sharpened by the first unbroken run, whose length is known in revolutions.
FirstPeriod first_period(const std::vector<Nanoseconds>& times, double coarse_ns) {
  constexpr std::size_t kMost = 64;
  std::vector<double> x, y;
  for (const Nanoseconds time : times) {
    const auto since = static_cast<double>(time - times.front());
    if (!y.empty() && (since - y.back() > kBurstGap_rev * coarse_ns || y.size() >= kMost)) break;
    x.push_back(std::round(since / coarse_ns));
    y.push_back(since);
  }
  const double middle = x.back() / 2;
  for (double& count : x) count -= middle;
  FirstPeriod found{coarse_ns, 1, 0};
  const auto line = statistics::huber_line(x, y);
  if (!line) return found;
  found.period_ns = line->coefficients[1];
  found.noise_ns = std::max(statistics::mad_sigma(line->residuals), 1.0);
  found.relative_error = 3.5 * found.noise_ns / std::pow(static_cast<double>(x.size()), 1.5) /
                         found.period_ns;
  return found;
}

// Completions of one burst less whole revolutions from the first, and less their median.
struct Offsets {
  double median_ns = 0;
  std::vector<double> from_median_ns;
};

Offsets offsets_of(const std::vector<double>& times, double period_ns) {
  Offsets result;
  for (double time : times) {
    const double count = std::round((time - times.front()) / period_ns);
    result.from_median_ns.push_back(time - times.front() - count * period_ns);
  }
  result.median_ns = statistics::median(result.from_median_ns);
  for (double& offset : result.from_median_ns) offset -= result.median_ns;
  return result;
}

// One burst: the mean place of its completions, outliers left out. Not the median: the host's delay
// has a long tail, and bursts of two reads and of many must lie on one line.
Burst make_burst(const std::vector<double>& times, const Offsets& offsets, double limit_ns) {
  double sum = 0, count = 0;
  for (double offset : offsets.from_median_ns) {
    if (std::abs(offset) > limit_ns) continue;
    sum += offset;
    count += 1;
  }
  return {times.front() + offsets.median_ns + (count > 0 ? sum / count : 0.0), 0,
          std::max(count, 1.0)};
}

// Bursts that begin anywhere in the turn, as what a slow cache answers: between completions of
// commands sent back to back it is as even as a platter. Few revolutions are counted without doubt.
bool follow_the_rests(const std::vector<Burst>& bursts, double period_ns) {
  constexpr double kFew_rev = 40, kOff_rev = 0.25;
  constexpr std::size_t kFewest = 6;
  std::size_t all = 0, off = 0;
  for (std::size_t i = 1; i < bursts.size(); ++i) {
    const double gap = (bursts[i].time_ns - bursts[i - 1].time_ns) / period_ns;
    if (gap > kFew_rev) continue;
    ++all;
    off += std::abs(gap - std::round(gap)) > kOff_rev ? 1 : 0;
  }
  return all >= kFewest && 3 * off > all;
}

struct Line {
  double period_ns = 0, error_ns = 0;
  std::size_t reads = 0;
  std::vector<Burst> bursts;  // that it was drawn through
};

// Period from bursts whose revolutions are counted. The scatter of whole bursts about the line
// holds the slow wander of the spindle, too, so that the error is honest about it.
Line fit_line(const std::vector<Burst>& bursts, double period_ns, double noise_ns) {
  std::vector<double> x, y, weights;
  double mean = 0;
  for (const Burst& burst : bursts) mean += burst.revolution / static_cast<double>(bursts.size());
  for (const Burst& burst : bursts) {
    x.push_back(burst.revolution - mean);
    y.push_back(burst.time_ns - burst.revolution * period_ns);
    weights.push_back(burst.weight);
  }
  const auto fit = statistics::huber_line(x, y, weights);
  if (!fit) return {period_ns, std::numeric_limits<double>::infinity(), 0, {}};
  double reads = 0, centre = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    reads += weights[i];
    centre += weights[i] * x[i];
  }
  centre /= reads;
  for (std::size_t i = 0; i < x.size(); ++i)
    squares += weights[i] * (x[i] - centre) * (x[i] - centre);
  // Bursts scatter more than their reads explain because the spindle wanders: slowly, so that
  // bursts of about one time have that in common, however many they are.
  constexpr double kWander_ns = 1.5e9;
  // Judged by the middle of the bursts: late ones, which the fit gives little weight, are no
  // wander.
  std::vector<double> scatter;
  double of_reads = 0;  // mean variance
  for (std::size_t i = 0; i < x.size(); ++i) {
    scatter.push_back(fit->residuals[i] * std::sqrt(weights[i]) / noise_ns);
    of_reads += noise_ns * noise_ns / weights[i] / static_cast<double>(x.size());
  }
  const double spread = statistics::mad_sigma(scatter);
  // Few bursts tell no wander from what their reads scatter: 1.65 is the spread's own relative
  // error times the root of twice their number.
  const double by_chance = 1 + 1.65 * std::sqrt(2.0 / static_cast<double>(x.size()));
  const double wander = spread > by_chance ? (spread * spread - 1) * of_reads : 0;
  double pulls = 0, pull = 0, began_ns = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i == 0 || bursts[i].time_ns - began_ns > kWander_ns) {
      pulls += pull * pull;
      pull = 0;
      began_ns = bursts[i].time_ns;
    }
    pull += weights[i] * (x[i] - centre) / squares;
  }
  pulls += pull * pull;
  const double expected = std::sqrt(noise_ns * noise_ns / squares + wander * pulls);
  const double from_scatter = bursts.size() > 3 ? std::sqrt(fit->covariance.at(1, 1)) : 0.0;
  return {period_ns + fit->coefficients[1], std::max(expected, from_scatter),
          static_cast<std::size_t>(reads), bursts};
}

// Neighbours in one, until no more are left than `most`.
std::vector<Burst> thinned(std::vector<Burst> bursts, std::size_t most) {
  while (bursts.size() > most) {
    std::vector<Burst> fewer;
    for (std::size_t i = 0; i < bursts.size(); i += 2) {
      Burst both = bursts[i];
      if (i + 1 < bursts.size()) {
        const Burst& next = bursts[i + 1];
        const double share = next.weight / (both.weight + next.weight);
        both.time_ns += share * (next.time_ns - both.time_ns);
        both.revolution += share * (next.revolution - both.revolution);
        both.weight += next.weight;
      }
      fewer.push_back(both);
    }
    bursts = std::move(fewer);
  }
  return bursts;
}

// Over a long time what the spindle wanders is most of what bursts lie off, and bursts of about one
// time have it in common: then neither does a burst of many reads weigh more than one of few, nor
// do many bursts of one time tell more than one.
std::optional<Line> with_wander(const Line& line, double read_noise_ns) {
  constexpr double kLong_ns = 8e9, kOutlier = 6;
  // Spindles are held by servos within seconds; what is slower is their speed.
  constexpr double kFastest_s = 0.5, kSlowest_s = 4;
  constexpr std::size_t kFewest = 8, kMost = 64;
  if (line.bursts.size() < kFewest ||
      line.bursts.back().time_ns - line.bursts.front().time_ns < kLong_ns)
    return std::nullopt;
  const std::vector<Burst> bursts = thinned(line.bursts, kMost);
  std::vector<double> off;
  for (const Burst& burst : bursts)
    off.push_back(burst.time_ns - burst.revolution * line.period_ns);
  const double middle = statistics::median(off), spread = statistics::mad_sigma(off);
  std::vector<double> x, y, variances;
  for (std::size_t i = 0; i < bursts.size(); ++i) {
    const double own = read_noise_ns / std::sqrt(bursts[i].weight);
    if (std::abs(off[i] - middle) > kOutlier * std::hypot(spread, own)) continue;
    x.push_back(bursts[i].time_ns * 1e-9);
    y.push_back(off[i] - middle);
    variances.push_back(own * own);
  }
  const auto found = statistics::wander_line(x, y, variances, kFastest_s, kSlowest_s);
  if (!found) return std::nullopt;
  const double turns_per_s = 1e9 / line.period_ns;
  return Line{
      line.period_ns + found->slope / turns_per_s, found->error / turns_per_s, line.reads, {}};
}

struct Drift {
  double seen_ns = 0;    // 0: none is
  double unseen_ns = 0;  // one as large may be there all the same
};

// By how much the period changed from the first burst to the last: what a line's bursts are curved
// by, where that is beyond chance and beyond what spindles wander to and fro.
Drift drift_of(const Line& line) {
  constexpr std::size_t kFewest = 12, kMost = 64;
  constexpr double kLong_ns = 20e9, kBeyondChance = 4, kNotExcluded = 3;
  if (line.bursts.size() < kFewest ||
      line.bursts.back().time_ns - line.bursts.front().time_ns < kLong_ns)
    return {};
  const std::vector<Burst> bursts = thinned(line.bursts, kMost);
  const double first = bursts.front().revolution, all = bursts.back().revolution - first;
  statistics::Matrix design(bursts.size(), 3);
  std::vector<double> off;
  for (std::size_t i = 0; i < bursts.size(); ++i) {
    const double at = (bursts[i].revolution - first) / all - 0.5;  // -1/2 to 1/2
    design.at(i, 0) = 1;
    design.at(i, 1) = at;
    design.at(i, 2) = at * at;
    off.push_back(bursts[i].time_ns - bursts[i].revolution * line.period_ns);
  }
  const auto fit = statistics::huber_regression(design, off, {});
  if (!fit) return {};
  const double curve_ns = fit->coefficients[2], error_ns = std::sqrt(fit->covariance.at(2, 2));
  if (std::abs(curve_ns) > kBeyondChance * error_ns) return {2 * curve_ns / all, 0};
  return {0, 2 * kNotExcluded * error_ns / all};
}

// A spindle that was switched off and on is held to its speed by the same crystal, at another
// temperature: chosen wider than what such a crystal drifts.
Line as_it_may_be_now(const model::Rotation& before) {
  constexpr double kDrift = 2e-6;
  const double period_ns = *before.period.value;
  return {period_ns, std::hypot(*before.period.error, kDrift * period_ns), 0, {}};
}

// Ties bursts together one after the other from the `first` on, the period sharper at each step, as
// far as the revolutions between them can be counted. `end`: the one that could not be tied any
// more.
Line tie(const std::vector<Burst>& bursts, std::size_t first, Line known, double noise_ns,
         std::size_t* end) {
  std::vector<Burst> tied;
  for (*end = first; *end < bursts.size(); ++*end) {
    Burst burst = bursts[*end];
    if (!tied.empty()) {
      const double gap = (burst.time_ns - tied.back().time_ns) / known.period_ns;
      if (gap * known.error_ns / known.period_ns > kSureCount_rev) break;
      const double count = std::round(gap);
      if (std::abs(gap - count) > 0.25) continue;  // a late completion of another kind
      burst.revolution = tied.back().revolution + count;
    }
    tied.push_back(burst);
    if (tied.size() < 2 || (tied.size() >= 16 && tied.size() % 8 != 0)) continue;
    const Line line = fit_line(tied, known.period_ns, noise_ns);
    if (line.error_ns < known.error_ns) known = line;
  }
  return tied.size() >= 2 ? fit_line(tied, known.period_ns, noise_ns) : known;
}

// Where a pause is too long for the revolutions in it to be counted, the bursts behind it may tell
// the period so much better that it can be bridged after all.
Line tie_all(const std::vector<Burst>& bursts, Line known, double noise_ns) {
  while (true) {
    std::size_t end = 0;
    const Line whole = tie(bursts, 0, known, noise_ns, &end);
    Line best = whole;
    while (end < bursts.size()) {
      const Line part = tie(bursts, end, whole, noise_ns, &end);
      if (part.error_ns < best.error_ns) best = part;
    }
    if (best.error_ns >= 0.5 * known.error_ns) return best.error_ns < known.error_ns ? best : known;
    known = best;
  }
}

}  // namespace

model::Rotation RotationEstimate::of_whole_run() const {
  model::Rotation whole = rotation;
  if (whole.period.error) whole.period.error = std::hypot(*whole.period.error, unseen_drift_ns / 4);
  return whole;
}

double RotationEstimate::relative_error() const {
  if (!rotation.period.value || !rotation.period.error)
    return std::numeric_limits<double>::infinity();
  return *rotation.period.error / *rotation.period.value;
}

double phase_rev(const model::Rotation& rotation, Nanoseconds time_ns) {
  const double period = model::revolution_ns(rotation);
  return statistics::turn_rev(static_cast<double>(time_ns) / period);
}

namespace {

// What the spindle wanders within a session that is too short to show it; Chosen: what servos were
// seen to leave.
constexpr double kUnseenWander_rev = 0.0007;

struct SessionEstimate {
  RotationEstimate rotation;
  double turns = 1;           // from its first burst to its last
  bool wander_shows = false;  // its error holds it
};

// Time may have jumped and nobody told: each phase by itself. By session and phase.
std::map<std::pair<std::uint32_t, std::size_t>, Samples> phases_of(const Samples& samples) {
  std::map<std::uint32_t, Samples> sessions;
  for (const Sample& s : samples) sessions[s.session].push_back(s);
  constexpr std::size_t kFewest = 12;
  std::map<std::pair<std::uint32_t, std::size_t>, Samples> phases;
  for (const auto& [number, own] : sessions) {
    const std::vector<Nanoseconds> times = completions_of_one_lbn(own);
    std::vector<Nanoseconds> jumps;
    const double coarse_ns = times.size() >= kFewest ? coarse_period_ns(times) : 0;
    if (coarse_ns >= kShortestPeriod_ns) {
      const FirstPeriod first = first_period(times, coarse_ns);
      constexpr double kSure = 3;  // no jump is told by an error that is only likely
      jumps = phase_jumps(times, first.period_ns, kSure * first.relative_error, first.noise_ns);
    }
    for (const Sample& s : own) {
      const auto before = std::ranges::upper_bound(jumps, s.completed_ns) - jumps.begin();
      phases[{number, static_cast<std::size_t>(before)}].push_back(s);
    }
  }
  return phases;
}

// Unbroken runs in which the coarse period counts the revolutions.
std::vector<std::vector<double>> unbroken_runs(const std::vector<Nanoseconds>& raw,
                                               double period_ns) {
  constexpr std::size_t kLongest = 64;
  std::vector<std::vector<double>> runs;
  for (const Nanoseconds at_ns : raw) {
    const auto time = static_cast<double>(at_ns - raw.front());
    if (runs.empty() || time - runs.back().back() > kBurstGap_rev * period_ns ||
        runs.back().size() >= kLongest)
      runs.emplace_back();
    runs.back().push_back(time);
  }
  return runs;
}

struct Bursts {
  std::vector<Burst> bursts;
  double noise_ns = 0;  // of a read about its place
  double reads = 0;     // that are no outliers
  bool irregular = false;
};

Bursts bursts_of(const std::vector<std::vector<double>>& runs, double period_ns) {
  Bursts result;
  std::vector<double> noise;
  std::vector<Offsets> offsets;
  for (const auto& run : runs) {
    offsets.push_back(offsets_of(run, period_ns));
    noise.insert(noise.end(), offsets.back().from_median_ns.begin(),
                 offsets.back().from_median_ns.end());
  }
  constexpr double kOutlier = 8;  // of the noise
  const double limit_ns = kOutlier * std::max(statistics::mad_sigma(noise), 1.0);
  double squares = 0;
  for (const double offset : noise) {
    if (std::abs(offset) > limit_ns) continue;
    squares += offset * offset;
    result.reads += 1;
  }
  result.noise_ns = std::max(std::sqrt(squares / std::max(result.reads, 1.0)), 1.0);
  result.irregular = result.noise_ns > kRegular_rev * period_ns;
  if (result.irregular) return result;
  for (std::size_t i = 0; i < runs.size(); ++i)
    result.bursts.push_back(make_burst(runs[i], offsets[i], limit_ns));
  result.irregular = follow_the_rests(result.bursts, period_ns);
  return result;
}

// Through as many of the bursts as can be: from the first on, or from the period as another
// session has it.
Line line_through(const std::vector<Burst>& bursts, const Line& begun, double noise_ns,
                  const std::optional<model::Rotation>& elsewhere) {
  Line line = tie_all(bursts, begun, noise_ns);
  if (!elsewhere) return line;
  std::size_t end = 0;
  const Line other = tie(bursts, 0, as_it_may_be_now(*elsewhere), noise_ns, &end);
  return other.bursts.size() > line.bursts.size() ? other : line;
}

// `elsewhere`: the period as another session has it; then sessions' periods tell its drift.
SessionEstimate estimate_of_session(const Samples& samples,
                                    const std::optional<model::Rotation>& elsewhere) {
  SessionEstimate result;
  RotationEstimate& estimate = result.rotation;
  const std::vector<Nanoseconds> raw = completions_of_one_lbn(samples);
  if (raw.size() < 8) return result;
  const double coarse_ns = coarse_period_ns(raw);
  if (coarse_ns < kShortestPeriod_ns) {
    estimate.outcome = RotationOutcome::cache_still_on;
    return result;
  }
  const double first_ns = first_period(raw, coarse_ns).period_ns;
  const std::vector<std::vector<double>> runs = unbroken_runs(raw, first_ns);
  const Bursts found = bursts_of(runs, first_ns);
  if (found.irregular) {
    estimate.outcome = RotationOutcome::irregular;
    return result;
  }
  const double noise_ns = found.noise_ns;
  const auto first_reads = static_cast<double>(runs.front().size());
  const Line begun{first_ns, 3.5 * noise_ns / std::pow(std::max(first_reads, 2.0), 1.5), 0, {}};
  Line line = line_through(found.bursts, begun, noise_ns, elsewhere);
  const Drift drifts = elsewhere ? Drift{} : drift_of(line);
  const double drift = drifts.seen_ns;
  // A burst's reads scatter less about their own median than about their place.
  const double of_medians = found.reads - static_cast<double>(runs.size());
  const double read_noise_ns = noise_ns * std::sqrt(found.reads / std::max(of_medians, 1.0));
  if (const auto with = with_wander(line, read_noise_ns)) {
    line = *with;
    result.wander_shows = true;
  }
  result.turns = std::max(1.0, static_cast<double>(raw.back() - raw.front()) / line.period_ns);
  // Both ends of the run lie within one of it, and within two where the drift is uneven.
  const double error_ns = std::hypot(line.error_ns, std::abs(drift) / 2);
  estimate.unseen_drift_ns = drifts.unseen_ns;
  estimate.drift_ppm = drift / line.period_ns * 1e6;
  estimate.outcome = RotationOutcome::measured;
  estimate.phase_noise_ns = noise_ns;
  estimate.rotation = rotation_of({line.period_ns, error_ns, line.reads}, by_verifies(samples));
  return result;
}

}  // namespace

namespace {

// What most of the blocks came from was no platter, however fast.
bool come_at_once(const Samples& walk) {
  std::size_t reads = 0, at_once = 0;
  for (const Sample& s : walk) {
    if (s.experiment != Experiment::rotation) continue;
    ++reads;
    at_once += static_cast<double>(s.completed_ns - s.issued_ns) < kShortestPeriod_ns / 6 ? 1 : 0;
  }
  return 2 * at_once > reads;
}

// What each session's walk says, taken together.
RotationEstimate estimate_of_walk(const Samples& samples) {
  std::map<std::uint32_t, Samples> sessions;
  for (const Sample& s : samples) sessions[s.session].push_back(s);
  RotationEstimate estimate;
  estimate.outcome = come_at_once(samples) ? RotationOutcome::cache_still_on
                                           : RotationOutcome::irregular;
  if (estimate.outcome == RotationOutcome::cache_still_on) return estimate;
  std::vector<statistics::Estimate> periods;
  for (const auto& [number, own] : sessions) {
    const auto one = walked_rotation(own);
    if (!one) continue;
    periods.push_back(one->period_ns);
    estimate.phase_noise_ns = one->noise_ns;
  }
  if (periods.empty()) return estimate;
  estimate.outcome = RotationOutcome::measured;
  estimate.rotation = rotation_of(mean_of_sessions(periods), false);
  estimate.rotation.period.method = "completions of reads of neighbouring sectors, each once";
  return estimate;
}

// Between two sessions no revolutions can be counted: each tells the period by itself, but what one
// tells helps to count within the others. A session that is too short for the spindle's wander to
// show has errors that do not hold it: where there are longer ones, these alone count.
RotationEstimate estimate_of_sessions(const Samples& samples) {
  const auto sessions = phases_of(samples);
  if (sessions.size() <= 1) return estimate_of_session(samples, std::nullopt).rotation;
  const auto better = [](const SessionEstimate& a, const SessionEstimate& b) {
    return std::pair(!a.wander_shows, a.rotation.relative_error()) <
           std::pair(!b.wander_shows, b.rotation.relative_error());
  };
  SessionEstimate best;
  for (const auto& [number, own] : sessions)
    if (auto alone = estimate_of_session(own, std::nullopt); better(alone, best)) best = alone;
  if (best.rotation.outcome != RotationOutcome::measured) return best.rotation;
  best.rotation.drift_ppm = 0;
  std::vector<statistics::Estimate> shorter, longer;
  const model::Rotation known = best.rotation.rotation;
  for (const auto& [number, own] : sessions) {
    const SessionEstimate one = estimate_of_session(own, known);
    if (!std::isfinite(one.rotation.relative_error())) continue;
    const model::Parameter& period = one.rotation.rotation.period;
    const double unseen_ns = one.wander_shows ? 0 : kUnseenWander_rev * *period.value / one.turns;
    (one.wander_shows ? longer : shorter)
        .push_back({*period.value, std::hypot(*period.error, unseen_ns), period.samples});
  }
  best.rotation.rotation = rotation_of(mean_of_sessions(longer.empty() ? shorter : longer),
                                       by_verifies(samples));
  return best.rotation;
}

}  // namespace

RotationEstimate estimate_rotation(const Samples& samples) {
  return is_walk(samples) ? estimate_of_walk(samples) : estimate_of_sessions(samples);
}

}  // namespace platter::estimate

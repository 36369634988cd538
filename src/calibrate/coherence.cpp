#include "calibrate/coherence.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <tuple>
#include <utility>

#include "statistics/circular.h"

namespace platter::calibrate {
namespace {

constexpr double kReach = 0.03;           // of the nominal period, to either side
constexpr double kChance = -13.8;         // ln(1e-6)
constexpr std::size_t kPartners = 3;      // earlier accesses that each one is paired with
constexpr std::uint32_t kSideBySide = 1;  // cylinders
constexpr double kFirstApart = 100;       // revolutions that the first, widest search looks over
constexpr double kSteps = 8;              // to the turn, over the longest pair
constexpr double kStillSteady = 0.9;      // of the first search's coherence
constexpr std::size_t kFewestInGroup = 3;

struct Vector {
  double x = 0, y = 0;
  std::size_t n = 0;
};

std::vector<Vector> sums(std::span<const Pair> pairs, double period_ns) {
  std::vector<Vector> groups;
  for (const Pair& pair : pairs) {
    if (pair.group >= groups.size()) groups.resize(pair.group + 1);
    const double angle = 2 * std::numbers::pi *
                         statistics::wrap_rev(pair.apart_ns / period_ns - pair.turn_rev);
    Vector& group = groups[pair.group];
    group.x += std::cos(angle);
    group.y += std::sin(angle);
    ++group.n;
  }
  return groups;
}

using Key = std::tuple<std::size_t, int, int, bool>;

// Which accesses may be compared, and up to which constant.
std::optional<Key> group_key(const Access& a, const Access& b, Trust trust) {
  if (a.write != b.write) return std::nullopt;
  if (trust == Trust::all) return Key{};
  if (a.zone != b.zone) return std::nullopt;
  if (trust == Trust::zone) return Key{};
  const int cylinders = static_cast<int>(b.cylinder) - static_cast<int>(a.cylinder);
  const int heads = static_cast<int>(b.head) - static_cast<int>(a.head);
  if (static_cast<std::uint32_t>(std::abs(cylinders)) > kSideBySide) return std::nullopt;
  if (cylinders == 0 && heads == 0) return Key{};  // one track: no skew between them
  return Key{a.zone + 1, cylinders, heads, a.write};
}

// Small groups say nothing: their vectors are long by chance.
std::vector<Pair> without_small_groups(std::vector<Pair> pairs) {
  std::map<std::size_t, std::size_t> sizes;
  for (const Pair& pair : pairs) ++sizes[pair.group];
  std::erase_if(pairs, [&](const Pair& pair) { return sizes[pair.group] < kFewestInGroup; });
  return pairs;
}

struct Scan {
  double period_ns = 0;
  Coherence coherence{};
  std::size_t tried = 0;
};

Scan scan(std::span<const Pair> pairs, double centre_ns, double reach, double step) {
  Scan best;
  const auto steps = static_cast<int>(std::ceil(reach / step));
  for (int i = -steps; i <= steps; ++i, ++best.tried) {
    const double period_ns = centre_ns * (1 + i * step);
    const Coherence coherence = coherence_at(pairs, period_ns);
    if (coherence.statistic <= best.coherence.statistic) continue;
    best.coherence = coherence;
    best.period_ns = period_ns;
  }
  return best;
}

// Least squares of what is left of each pair's turn against its revolutions, within groups.
void refine(std::span<const Pair> pairs, Spindle& spindle) {
  std::vector<std::pair<double, double>> means;  // revolutions, error, of each group
  std::vector<std::size_t> sizes;
  const std::vector<Vector> groups = sums(pairs, spindle.period_ns);
  const auto error_of = [&](const Pair& pair) {
    const Vector& group = groups[pair.group];
    const double centre = std::atan2(group.y, group.x) / (2 * std::numbers::pi);
    return statistics::wrap_rev(pair.apart_ns / spindle.period_ns - pair.turn_rev - centre);
  };
  means.resize(groups.size());
  std::vector<double> revolutions, errors;
  for (const Pair& pair : pairs) {
    const double n = static_cast<double>(groups[pair.group].n);
    means[pair.group].first += pair.apart_ns / spindle.period_ns / n;
    means[pair.group].second += error_of(pair) / n;
  }
  double xx = 0, xy = 0, yy = 0;
  for (const Pair& pair : pairs) {
    const double x = pair.apart_ns / spindle.period_ns - means[pair.group].first;
    const double y = error_of(pair) - means[pair.group].second;
    if (std::abs(y) > 0.25) continue;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  if (xx <= 0) return;
  const double slope = xy / xx;  // turns too many in each revolution
  const double variance = std::max(0.0, yy - slope * xy) / static_cast<double>(pairs.size());
  spindle.error_ns = spindle.period_ns * std::sqrt(variance * kPartners / xx);
  spindle.period_ns *= 1 + slope;
}

std::optional<Spindle> find_with(std::span<const Access> accesses, double nominal_ns, Trust trust) {
  double apart_ns = kFirstApart * nominal_ns;
  double step = 1 / (kSteps * kFirstApart);
  std::vector<Pair> pairs = pairs_of(accesses, trust, apart_ns);
  const Scan first = scan(pairs, nominal_ns, kReach, step);
  if (first.coherence.log_chance(first.tried) > kChance) return std::nullopt;
  Spindle spindle{.period_ns = first.period_ns,
                  .pairs = pairs.size(),
                  .trust = trust,
                  .coherence = first.coherence,
                  .steady_ns = apart_ns};
  double best_share = first.coherence.share;
  const double duration_ns = accesses.back().completion_ns - accesses.front().completion_ns;
  refine(pairs, spindle);
  while (apart_ns < duration_ns) {
    apart_ns *= 4;
    const double wider = step;
    step /= 4;
    pairs = pairs_of(accesses, trust, apart_ns);
    const Scan next = scan(pairs, spindle.period_ns, wider, step);
    best_share = std::max(best_share, next.coherence.share);
    if (next.coherence.share < kStillSteady * best_share) break;
    spindle.period_ns = next.period_ns;
    spindle.coherence = next.coherence;
    spindle.pairs = pairs.size();
    spindle.steady_ns = apart_ns;
    refine(pairs, spindle);
  }
  return spindle;
}

}  // namespace

std::vector<Pair> pairs_of(std::span<const Access> accesses, Trust trust, double apart_ns) {
  std::map<Key, std::size_t> groups;
  std::vector<Pair> pairs;
  for (std::size_t j = 0; j < accesses.size(); ++j) {
    std::size_t partners = 0;
    for (std::size_t i = j; i-- > 0 && partners < kPartners;) {
      const Access &a = accesses[i], &b = accesses[j];
      if (b.completion_ns - a.completion_ns > apart_ns) break;
      if (!a.one_track || !b.one_track) continue;
      const bool up = std::pair(a.cylinder, a.head) <= std::pair(b.cylinder, b.head);
      const Access &from = up ? a : b, &to = up ? b : a;
      const std::optional<Key> key = group_key(from, to, trust);
      if (!key) continue;
      const std::size_t group = groups.try_emplace(*key, groups.size()).first->second;
      pairs.push_back({to.completion_ns - from.completion_ns, to.turn - from.turn, group, j});
      ++partners;
    }
  }
  return without_small_groups(std::move(pairs));
}

double Coherence::log_chance(std::size_t tried) const {
  const double independent = statistic / overlap;
  const double k = std::max(1.0, static_cast<double>(groups) / overlap);
  if (groups == 0 || independent <= k) return 0;
  return std::log(static_cast<double>(std::max<std::size_t>(tried, 1))) -
         (independent - k - k * std::log(independent / k));
}

Coherence coherence_at(std::span<const Pair> pairs, double period_ns) {
  Coherence coherence;
  double length = 0;
  for (const Vector& group : sums(pairs, period_ns)) {
    if (group.n == 0) continue;
    const double square = group.x * group.x + group.y * group.y;
    coherence.statistic += square / static_cast<double>(group.n);
    length += std::sqrt(square);
    coherence.pairs += group.n;
    ++coherence.groups;
  }
  if (coherence.pairs > 0) coherence.share = length / static_cast<double>(coherence.pairs);
  std::size_t later = 0, last = ~std::size_t{0};
  for (const Pair& pair : pairs) {
    later += pair.later != last;
    last = pair.later;
  }
  if (later > 0)
    coherence.overlap = static_cast<double>(coherence.pairs) / static_cast<double>(later);
  return coherence;
}

std::optional<Spindle> find_spindle(std::span<const Access> accesses, double nominal_ns,
                                    double least_share) {
  std::optional<Spindle> best;
  for (const Trust trust : {Trust::neighbours, Trust::zone, Trust::all}) {
    const std::optional<Spindle> found = find_with(accesses, nominal_ns, trust);
    if (!found) continue;
    if (!best || found->coherence.share > best->coherence.share) best = found;
  }
  // A weak coherence beyond chance is the host's rhythm, or another drive's: not a known position.
  if (best && best->coherence.share < least_share) return std::nullopt;
  return best;
}

double shuffled_share(std::span<const Access> accesses, const Spindle& spindle) {
  std::vector<Pair> pairs = pairs_of(accesses, spindle.trust, kFirstApart * spindle.period_ns);
  const double step = 1 / (kSteps * kFirstApart);
  const double unshuffled = scan(pairs, spindle.period_ns, kReach, step).coherence.statistic;
  std::mt19937_64 generator(1);
  for (std::size_t i = pairs.size(); i > 1; --i)
    std::swap(pairs[i - 1].turn_rev, pairs[generator() % i].turn_rev);
  return unshuffled > 0
             ? scan(pairs, spindle.period_ns, kReach, step).coherence.statistic / unshuffled
             : 1;
}

}  // namespace platter::calibrate

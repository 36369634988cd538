#include "calibrate/skew_search.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <map>

#include "calibrate/phase.h"
#include "model/interruption.h"
#include "statistics/circular.h"

namespace platter::calibrate {
namespace {

using Complex = std::complex<double>;
using statistics::wrap_rev;

constexpr double kGrid = 0.3;           // turn over a zone's heads, cylinders: a step of the search
constexpr int kClimbHalvings = 7;       // of a turn, of the climb's steps
constexpr std::size_t kStepSizes = 40;  // from a whole turn back to a whole turn on
constexpr double kMostCoherent = 0.999;  // more is no better: angles are not known so well

std::uint32_t head_of_first(const model::LayoutNode& node) {
  std::int64_t head = 0;
  const model::LayoutNode* at = &node;
  for (;; at = &at->children.front()) {
    head += at->head;
    if (at->children.empty()) break;
  }
  return static_cast<std::uint32_t>(head);
}

// Their product; that of std::complex asks each time whether one is infinite.
Complex turned(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

double sum_of_squares(std::span<const Complex> sums) {
  double sum = 0;
  for (const Complex& s : sums) sum += std::norm(s);
  return sum;
}

// A full turn in steps such that the largest coordinate turns by kGrid between two of them.
std::size_t steps_for(double largest) {
  return largest <= 0 ? 1 : static_cast<std::size_t>(std::ceil(largest / kGrid));
}

// All values of one skew at once, in even steps over a whole turn: each sample's vector turns on by
// its coordinate.
void search_turn(std::span<const Complex> vectors, std::span<const double> coordinates,
                 std::span<const Sample> samples, const Sets& sets, std::size_t steps,
                 const std::function<void(std::size_t step, double score)>& visit) {
  std::vector<Complex> now(vectors.begin(), vectors.end()), turn(vectors.size());
  for (std::size_t i = 0; i < vectors.size(); ++i)
    turn[i] = unit(-coordinates[i] / static_cast<double>(steps));
  std::vector<Complex> sums(sets.count());
  for (std::size_t step = 0; step < steps; ++step) {
    std::ranges::fill(sums, Complex{});
    for (std::size_t i = 0; i < now.size(); ++i) {
      sums[samples[i].set] += now[i];
      now[i] = turned(now[i], turn[i]);
    }
    visit(step, sum_of_squares(sums));
  }
}

// How the skews of some samples are stepped through.
struct Grid {
  std::size_t heads = 1, cylinders = 1;
};

Grid grid_of(std::span<const Sample> samples) {
  double heads = 0, cylinders = 0;
  for (const Sample& sample : samples) {
    heads = std::max(heads, std::abs(sample.head));
    cylinders = std::max(cylinders, std::abs(sample.cylinder));
  }
  return {steps_for(heads), steps_for(cylinders)};
}

}  // namespace

Sample sample_of(const Access& access, const model::LayoutNode& zone, double period_ns) {
  return {.time_ns = access.completion_ns,
          .lead = wrap_rev(access.completion_ns / period_ns - access.turn),
          .head = static_cast<double>(access.head) - static_cast<double>(head_of_first(zone)),
          .cylinder = static_cast<double>(access.cylinder) - zone.cylinder,
          .surface = access.head,
          .command = command_of(access.write, access.after_write)};
}

double steps_before(double cylinder, std::uint32_t range, std::uint32_t first) {
  return range == 0 ? 0 : std::floor((cylinder + range - first) / range);
}

double correction_at(const ZoneCorrection& c, const Sample& sample) {
  return c.per_head * sample.head + c.per_cylinder * sample.cylinder +
         c.per_range * steps_before(sample.cylinder, c.range, c.first);
}

Sets::Sets(std::span<const Sample> samples) : samples_(static_cast<double>(samples.size())) {
  std::map<std::size_t, double> sizes;
  for (const Sample& sample : samples) {
    ++sizes[sample.set];
    count_ = std::max(count_, sample.set + 1);
  }
  for (const auto& [set, size] : sizes) most_ += size * size;
}

double Sets::coherence(double score) const { return most_ > 0 ? std::sqrt(score / most_) : 0; }

double evidence_of_each(double coherence) {
  const double r = std::clamp(coherence, 0.0, kMostCoherent);
  // The concentration: Fisher 1993, Statistical Analysis of Circular Data, section 4.5.5.
  const double kappa = r < 0.53   ? 2 * r + r * r * r + 5 * std::pow(r, 5) / 6
                       : r < 0.85 ? -0.4 + 1.39 * r + 0.43 / (1 - r)
                                  : 1 / (r * r * r - 4 * r * r + 3 * r);
  return kappa * r - std::log(std::cyl_bessel_i(0.0, kappa));
}

double Sets::evidence(double score) const {
  const double means = static_cast<double>(count_);
  if (most_ <= samples_ || samples_ <= means) return 0;
  // Without what sets have by chance: |sum|^2 is n on the average.
  const double square = std::max(0.0, (score - samples_) / (most_ - samples_));
  return (samples_ - means) * evidence_of_each(std::sqrt(square));
}

double Sets::log_chance(double score, std::size_t tried) const {
  const double typical = most_ / samples_;  // size of a set
  const double g = score / typical, k = samples_ / typical;
  if (count_ == 1) return std::log(static_cast<double>(tried)) - g;
  if (g <= k) return 0;
  return std::log(static_cast<double>(tried)) - (g - k - k * std::log(g / k));
}

double score_of(std::span<const Sample> samples, const Sets& sets, const ZoneCorrection& c) {
  std::vector<Complex> sums(sets.count());
  for (const Sample& sample : samples)
    sums[sample.set] += unit(sample.lead - correction_at(c, sample));
  return sum_of_squares(sums);
}

Found search_skews(std::span<const Sample> samples, const Sets& sets) {
  const Grid grid = grid_of(samples);
  Found best;
  std::vector<Complex> vectors(samples.size());
  std::vector<double> cylinders;
  for (const Sample& sample : samples) cylinders.push_back(sample.cylinder);
  for (std::size_t h = 0; h < grid.heads; ++h) {
    stop_if_asked();
    const double per_head = wrap_rev(static_cast<double>(h) / static_cast<double>(grid.heads));
    for (std::size_t i = 0; i < samples.size(); ++i)
      vectors[i] = unit(samples[i].lead - per_head * samples[i].head);
    search_turn(vectors, cylinders, samples, sets, grid.cylinders,
                [&](std::size_t step, double score) {
                  if (score <= best.score) return;
                  best.score = score;
                  best.correction.per_head = per_head;
                  best.correction.per_cylinder =
                      wrap_rev(static_cast<double>(step) / static_cast<double>(grid.cylinders));
                });
  }
  best.tried = grid.heads * grid.cylinders;
  return best;
}

std::size_t skews_tried(std::span<const Sample> samples) {
  const Grid grid = grid_of(samples);
  return grid.heads * grid.cylinders;
}

Found search_steps(std::span<const Sample> samples, const Sets& sets, const ZoneCorrection& level,
                   std::uint32_t range) {
  Found best;
  std::vector<Complex> vectors(samples.size());
  std::vector<double> sweep(samples.size());
  for (std::uint32_t first = 1; first <= range; ++first) {
    stop_if_asked();
    for (std::size_t i = 0; i < samples.size(); ++i) {
      // What a step of a whole turn makes beside the skew that mimics it.
      const double beside = steps_before(samples[i].cylinder, range, first) -
                            samples[i].cylinder / range;
      vectors[i] = unit(samples[i].lead - correction_at(level, samples[i]) + beside);
      sweep[i] = 2 * beside;
    }
    search_turn(vectors, sweep, samples, sets, kStepSizes, [&](std::size_t step, double score) {
      if (score <= best.score) return;
      best.score = score;
      const double size = 2 * static_cast<double>(step) / kStepSizes - 1;
      best.correction = level;
      best.correction.range = range;
      best.correction.first = first;
      best.correction.per_range = size;
      best.correction.per_cylinder = level.per_cylinder - size / range;
    });
  }
  best.tried = kStepSizes * range;
  return best;
}

void climb_skews(std::span<const Sample> samples, const Sets& sets, Found& found) {
  double heads = 1, cylinders = 1;
  for (const Sample& sample : samples) {
    heads = std::max(heads, std::abs(sample.head));
    cylinders = std::max(cylinders, std::abs(sample.cylinder));
  }
  const bool ranges = found.correction.range > 0;
  for (int halvings = 1; halvings <= kClimbHalvings; ++halvings) {
    const double part = std::ldexp(1.0, -halvings);
    for (bool better = true; better;) {
      better = false;
      const auto attempt = [&](double ZoneCorrection::*field, double step) {
        for (const double sign : {-1.0, 1.0}) {
          ZoneCorrection next = found.correction;
          next.*field += sign * step;
          // Over a whole range nothing changes but the step between ranges.
          if (ranges && field == &ZoneCorrection::per_cylinder)
            next.per_range -= sign * step * next.range;
          const double score = score_of(samples, sets, next);
          if (score <= found.score) continue;
          found.score = score;
          found.correction = next;
          better = true;
        }
      };
      attempt(&ZoneCorrection::per_head, part * kGrid / heads);
      attempt(&ZoneCorrection::per_cylinder,
              part * kGrid / (ranges ? std::max(1.0, found.correction.range - 1.0) : cylinders));
      if (ranges)
        attempt(&ZoneCorrection::per_range, part * kGrid * found.correction.range / cylinders);
    }
  }
}

std::vector<Sample> thinned(std::span<const Sample> samples, std::size_t most) {
  if (samples.size() <= most) return {samples.begin(), samples.end()};
  std::vector<Sample> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(samples[i * samples.size() / most]);
  return some;
}

}  // namespace platter::calibrate

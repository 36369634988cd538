#include "calibrate/skew_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <map>
#include <utility>
#include <vector>

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

double sum_of_squares(std::span<const Complex> sums) {
  double sum = 0;
  for (const Complex& s : sums) sum += std::norm(s);
  return sum;
}

// A full turn in steps such that the largest coordinate turns by kGrid between two of them.
std::size_t steps_for(double largest) {
  return largest <= 0 ? 1 : static_cast<std::size_t>(std::ceil(largest / kGrid));
}

// Numbers of two searches, which the processor computes at once.
constexpr std::size_t kRows = 2;
typedef double Row __attribute__((vector_size(kRows * sizeof(double))));

// A sample's vector in each row, and what it turns by from step to step.
struct Turning {
  std::size_t set = 0;
  Row real{}, imag{}, turn_real{}, turn_imag{};

  void put(std::size_t row, Complex vector, Complex turn) {
    real[row] = vector.real(), imag[row] = vector.imag();
    turn_real[row] = turn.real(), turn_imag[row] = turn.imag();
  }
  void go_on() {
    const Row before = real;
    real = before * turn_real - imag * turn_imag;
    imag = before * turn_imag + imag * turn_real;
  }
};

// Samples of one set side by side.
std::vector<Sample> by_set(std::span<const Sample> samples) {
  std::vector<Sample> sorted(samples.begin(), samples.end());
  std::ranges::stable_sort(sorted, {}, &Sample::set);
  return sorted;
}

std::vector<Turning> resting(std::span<const Sample> samples) {
  std::vector<Turning> all(samples.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i].set = samples[i].set;
  return all;
}

// The sum over sets of |sum|^2; behind it each vector has turned on.
Row next_scores(std::span<Turning> vectors) {
  Row scores{}, real{}, imag{};
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    Turning& each = vectors[i];
    real += each.real;
    imag += each.imag;
    each.go_on();
    if (i + 1 < vectors.size() && vectors[i + 1].set == each.set) continue;
    scores += real * real + imag * imag;
    real = imag = Row{};
  }
  return scores;
}

struct Step {
  double score = 0;
  std::size_t step = 0;
};

// All values of one skew at once, in even steps over a whole turn. Of each row the first step with
// the highest score.
std::array<Step, kRows> search_turn(std::vector<Turning> vectors, std::size_t steps) {
  std::array<Step, kRows> best{};
  for (std::size_t step = 0; step < steps; ++step) {
    stop_if_asked();
    const Row scores = next_scores(vectors);
    for (std::size_t row = 0; row < kRows; ++row)
      if (scores[row] > best[row].score) best[row] = {scores[row], step};
  }
  return best;
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

Found search_skews(std::span<const Sample> samples) {
  const Grid grid = grid_of(samples);
  const std::vector<Sample> sorted = by_set(samples);
  const auto heads = static_cast<double>(grid.heads),
             cylinders = static_cast<double>(grid.cylinders);
  Found best;
  for (std::size_t h = 0; h < grid.heads; h += kRows) {
    std::vector<Turning> vectors = resting(sorted);
    const std::size_t rows = std::min(kRows, grid.heads - h);
    const auto per_head = [&](std::size_t row) {
      return wrap_rev(static_cast<double>(h + row) / heads);
    };
    for (std::size_t i = 0; i < sorted.size(); ++i)
      for (std::size_t row = 0; row < rows; ++row)
        vectors[i].put(row, unit(sorted[i].lead - per_head(row) * sorted[i].head),
                       unit(-sorted[i].cylinder / cylinders));
    const auto steps = search_turn(std::move(vectors), grid.cylinders);
    for (std::size_t row = 0; row < rows; ++row) {
      if (steps[row].score <= best.score) continue;
      best.score = steps[row].score;
      best.correction.per_head = per_head(row);
      best.correction.per_cylinder = wrap_rev(static_cast<double>(steps[row].step) / cylinders);
    }
  }
  best.tried = grid.heads * grid.cylinders;
  return best;
}

std::size_t skews_tried(std::span<const Sample> samples) {
  const Grid grid = grid_of(samples);
  return grid.heads * grid.cylinders;
}

Found search_steps(std::span<const Sample> samples, const ZoneCorrection& level,
                   std::uint32_t range) {
  const std::vector<Sample> sorted = by_set(samples);
  Found best;
  for (std::uint32_t first = 1; first <= range; first += kRows) {
    std::vector<Turning> vectors = resting(sorted);
    const std::uint32_t rows = std::min<std::uint32_t>(kRows, range - first + 1);
    for (std::size_t i = 0; i < sorted.size(); ++i)
      for (std::uint32_t row = 0; row < rows; ++row) {
        // What a step of a whole turn makes beside the skew that mimics it.
        const double beside = steps_before(sorted[i].cylinder, range, first + row) -
                              sorted[i].cylinder / range;
        vectors[i].put(row, unit(sorted[i].lead - correction_at(level, sorted[i]) + beside),
                       unit(-(2 * beside) / static_cast<double>(kStepSizes)));
      }
    const auto steps = search_turn(std::move(vectors), kStepSizes);
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (steps[row].score <= best.score) continue;
      best.score = steps[row].score;
      const double size = 2 * static_cast<double>(steps[row].step) / kStepSizes - 1;
      best.correction = level;
      best.correction.range = range;
      best.correction.first = first + row;
      best.correction.per_range = size;
      best.correction.per_cylinder = level.per_cylinder - size / range;
    }
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

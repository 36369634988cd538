#include "calibrate/positioning.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "statistics/regression.h"

namespace platter::calibrate {
namespace {

constexpr double kAnywhere = 0.02;  // share of accesses that a fit says nothing of
constexpr double kPrior_ms = 0.5;   // of an overhead, of the head switch
constexpr double kSmooth_ms = 0.3;  // of a seek's correction against the one of the next distance
constexpr std::size_t kInEachBand = 60;  // trials between two distances, at least
constexpr std::size_t kMostBands = 10;
constexpr double kLeast_sigma_ms = 0.02;
constexpr double kFarBetter = 5;       // of a trial's spread to the error of a value
constexpr double kSure = 7;            // standard deviations
constexpr double kTimesSchwarz = 1.5;  // what an unknown must gain, times Schwarz's criterion

double density(double x) {
  if (std::abs(x) > kSure) return 0;
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}
// Of a Gaussian within [low, high], without loss in the tails.
double probability(double low, double high) {
  if (low < -kSure && high > kSure) return 1;
  if (low > 0) return probability(-high, -low);
  return 0.5 * (std::erfc(-high / std::numbers::sqrt2) - std::erfc(-low / std::numbers::sqrt2));
}

// Unknowns of one trial, and by how much each counts.
struct Row {
  double low = 0, high = 0;
  std::array<std::pair<std::size_t, double>, 5> terms{};
  std::size_t count = 0;
  void add(std::size_t unknown, double weight) { terms[count++] = {unknown, weight}; }
};

struct Problem {
  std::vector<Row> rows{};
  std::size_t unknowns = 0, first_seek = 0;
  // Number of the unknown + 1; 0: none.
  std::array<std::size_t, kKinds> kinds{};
  std::array<std::size_t, 2> all{}, least{};  // reads, writes; all: what both kinds of them share
  std::size_t head_switch = 0, inward = 0;
  std::vector<double> bands{};  // distances of the seeks' unknowns
};

struct Solution {
  std::vector<double> values{};
  double log_likelihood = 0;
};

double expected(const Row& row, const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t k = 0; k < row.count; ++k)
    sum += values[row.terms[k].first] * row.terms[k].second;
  return sum;
}

double log_prior(const Problem& problem, const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t i = 0; i < problem.first_seek; ++i)
    sum -= values[i] * values[i] / (2 * kPrior_ms * kPrior_ms);
  for (std::size_t i = problem.first_seek; i < problem.unknowns; ++i) {
    sum -= values[i] * values[i] / (2 * kPrior_ms * kPrior_ms);
    if (i == problem.first_seek) continue;
    const double step = values[i] - values[i - 1];
    sum -= step * step / (2 * kSmooth_ms * kSmooth_ms);
  }
  return sum;
}

double row_likelihood(const Row& row, double at, double sigma) {
  const double p = probability((row.low - at) / sigma, (row.high - at) / sigma);
  return (1 - kAnywhere) * p + kAnywhere / 3;
}

// `of_rows`: their likelihoods.
double log_posterior(const Problem& problem, const std::vector<double>& values, double sigma,
                     std::vector<double>& of_rows) {
  double sum = log_prior(problem, values);
  of_rows.clear();
  for (const Row& row : problem.rows)
    sum += std::log(of_rows.emplace_back(row_likelihood(row, expected(row, values), sigma)));
  return sum;
}

// Fisher scoring with the outer products of the gradients, halving steps that do not climb.
// Unknowns that are not free stay as they are.
Solution climb(const Problem& problem, std::vector<double> values, double sigma,
               const std::vector<bool>& free) {
  const std::size_t n = problem.unknowns;
  Solution solution;
  std::vector<double> likelihoods, of_next;
  double best = log_posterior(problem, values, sigma, likelihoods);
  for (int round = 0; round < 60; ++round) {
    std::vector<double> gradient(n);
    statistics::Matrix information(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      gradient[i] = -values[i] / (kPrior_ms * kPrior_ms);
      information.at(i, i) = 1 / (kPrior_ms * kPrior_ms);
    }
    for (std::size_t i = problem.first_seek + 1; i < n; ++i) {
      const double weight = 1 / (kSmooth_ms * kSmooth_ms), step = values[i] - values[i - 1];
      gradient[i] -= weight * step;
      gradient[i - 1] += weight * step;
      information.at(i, i) += weight;
      information.at(i - 1, i - 1) += weight;
      information.at(i, i - 1) -= weight;
      information.at(i - 1, i) -= weight;
    }
    for (std::size_t i = 0; i < problem.rows.size(); ++i) {
      const Row& row = problem.rows[i];
      const double at = expected(row, values);
      const double slope = (1 - kAnywhere) *
                           (density((row.low - at) / sigma) - density((row.high - at) / sigma)) /
                           sigma / likelihoods[i];
      for (std::size_t k = 0; k < row.count; ++k) {
        gradient[row.terms[k].first] += slope * row.terms[k].second;
        for (std::size_t l = 0; l < row.count; ++l)
          information.at(row.terms[k].first, row.terms[l].first) +=
              slope * slope * row.terms[k].second * row.terms[l].second;
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (free[i]) continue;
      gradient[i] = 0;
      for (std::size_t j = 0; j < n; ++j) information.at(i, j) = information.at(j, i) = 0;
      information.at(i, i) = 1;
    }
    const std::vector<double> step = statistics::solve_symmetric(information, gradient);
    double scale = 1, gained = 0;
    for (; scale > 1e-4; scale /= 2) {
      std::vector<double> next = values;
      for (std::size_t i = 0; i < n; ++i) next[i] += scale * std::clamp(step[i], -0.5, 0.5);
      const double there = log_posterior(problem, next, sigma, of_next);
      if (there <= best) continue;
      std::swap(likelihoods, of_next);
      gained = there - best;
      best = there;
      values = std::move(next);
      break;
    }
    if (gained < 1e-6) break;
  }
  solution.values = values;
  solution.log_likelihood = best;
  return solution;
}

// Distances such that each band between two holds enough seeks.
std::vector<double> bands_of(std::span<const Trial> trials) {
  std::vector<double> distances;
  for (const Trial& trial : trials)
    if (trial.distance > 0) distances.push_back(trial.distance);
  std::ranges::sort(distances);
  if (distances.size() < kInEachBand)
    return distances.empty() ? std::vector<double>{} : std::vector{distances[distances.size() / 2]};
  const std::size_t count = std::min(kMostBands, distances.size() / kInEachBand) + 1;
  std::vector<double> bands;
  for (std::size_t i = 0; i < count; ++i) {
    const double at = distances[i * (distances.size() - 1) / (count - 1)];
    if (bands.empty() || at > bands.back() * 1.2) bands.push_back(at);
  }
  return bands;
}

// Between which bands a distance lies, and how near to the upper one.
std::pair<std::size_t, double> place(const std::vector<double>& bands, double distance) {
  if (bands.size() == 1 || distance <= bands.front()) return {0, 0};
  if (distance >= bands.back()) return {bands.size() - 2, 1};
  const auto above = std::ranges::upper_bound(bands, distance);
  const auto i = static_cast<std::size_t>(above - bands.begin()) - 1;
  return {i, std::log(distance / bands[i]) / std::log(bands[i + 1] / bands[i])};
}

Problem problem_of(std::span<const Trial> trials) {
  Problem problem;
  problem.bands = bands_of(trials);
  const std::vector<double>& bands = problem.bands;
  const auto number = [&](std::size_t& unknown) {
    if (unknown == 0) unknown = ++problem.unknowns;
  };
  const auto seeks = std::ranges::count_if(trials, [](const Trial& t) { return t.distance > 0; });
  const auto inward = std::ranges::count_if(
      trials, [](const Trial& t) { return t.distance > 0 && t.inward; });
  const bool both_ways = inward > seeks / 5 && inward < seeks - seeks / 5;
  for (const Trial& trial : trials) {
    number(problem.kinds[kind_of(trial)]);
    number(problem.all[trial.write]);
    if (trial.distance == 0) number(problem.least[trial.write]);
    if (trial.distance == 0 && trial.other_head) number(problem.head_switch);
    if (trial.distance > 0 && both_ways) number(problem.inward);
  }
  problem.first_seek = problem.unknowns;
  problem.unknowns += bands.size();
  for (const Trial& trial : trials) {
    Row row{.low = trial.low_ms, .high = trial.high_ms};
    row.add(problem.kinds[kind_of(trial)] - 1, 1);
    row.add(problem.all[trial.write] - 1, 1);
    if (trial.distance > 0) {
      const auto [i, share] = place(bands, trial.distance);
      row.add(problem.first_seek + i, 1 - share);
      if (share > 0) row.add(problem.first_seek + i + 1, share);
      if (problem.inward > 0) row.add(problem.inward - 1, trial.inward ? 1 : -1);
    } else {
      row.add(problem.least[trial.write] - 1, 1);
      if (trial.other_head) row.add(problem.head_switch - 1, 1);
    }
    problem.rows.push_back(row);
  }
  return problem;
}

// By how much one unknown alone may change until the likelihood falls by half a unit: what it is
// where trials lie so far apart that the curvature at the top says nothing.
double half_width(const Problem& problem, const Solution& best, double sigma, std::size_t unknown) {
  double widths = 0;
  std::vector<double> of_rows;
  for (const double sign : {-1.0, 1.0}) {
    double inside = 0, outside = 4 * kPrior_ms;
    for (int i = 0; i < 20; ++i) {
      const double middle = (inside + outside) / 2;
      std::vector<double> values = best.values;
      values[unknown] += sign * middle;
      (log_posterior(problem, values, sigma, of_rows) > best.log_likelihood - 0.5
           ? inside
           : outside) = middle;
    }
    widths += inside / 2;
  }
  return widths;
}

// Standard errors by the bootstrap: the fit again, of as many trials drawn with replacement; never
// less than what the likelihood leaves open.
std::vector<double> errors_of(const Problem& problem, const Solution& best, double sigma,
                              const std::vector<bool>& free) {
  constexpr int kDraws = 24;
  std::vector<double> sums(problem.unknowns), squares(problem.unknowns);
  std::mt19937_64 generator(1);
  for (int draw = 0; draw < kDraws; ++draw) {
    Problem resampled = problem;
    for (Row& row : resampled.rows) row = problem.rows[generator() % problem.rows.size()];
    const Solution solution = climb(resampled, best.values, sigma, free);
    for (std::size_t i = 0; i < problem.unknowns; ++i) {
      const double apart = solution.values[i] - best.values[i];
      sums[i] += apart;
      squares[i] += apart * apart;
    }
  }
  std::vector<double> errors;
  for (std::size_t i = 0; i < problem.unknowns; ++i) {
    const double mean = sums[i] / kDraws;
    const double spread = std::sqrt(std::max(0.0, squares[i] / kDraws - mean * mean));
    errors.push_back(free[i] ? std::max(spread, half_width(problem, best, sigma, i)) : 0);
  }
  return errors;
}

std::size_t lost_or_gained(const Problem& problem, const std::vector<double>& values) {
  return static_cast<std::size_t>(std::ranges::count_if(problem.rows, [&](const Row& row) {
    const double at = expected(row, values);
    return at <= row.low || at > row.high;
  }));
}

// Where a small change decides over whole revolutions the likeliest value need not be the one that
// loses the least: one that was fitted alone, and is known far better than one trial tells, moves
// within two standard errors to where, and around which, the fewest trials lose or gain a
// revolution. Several hold one another where they are.
void place_value(const Problem& problem, std::vector<double>& values,
                 const std::vector<double>& errors, double sigma) {
  constexpr int kSteps = 4, kBeside = 2;  // of half a standard error
  constexpr std::array<std::size_t, kBeside + 1> kWeights = {3, 2, 1};
  if (std::ranges::count(errors, 0.0) + 1 != std::ssize(errors)) return;
  const auto alone = static_cast<std::size_t>(
      std::ranges::find_if(errors, [](double error) { return error > 0; }) - errors.begin());
  if (sigma < kFarBetter * errors[alone]) return;
  const double fitted = values[alone];
  const auto at = [&](int step) { return fitted + step * errors[alone] / 2; };
  std::vector<std::size_t> lost;
  for (int step = -kSteps - kBeside; step <= kSteps + kBeside; ++step) {
    values[alone] = at(step);
    lost.push_back(lost_or_gained(problem, values));
  }
  const auto around = [&](int step) {
    std::size_t sum = 0;
    for (int k = -kBeside; k <= kBeside; ++k)
      sum += kWeights[static_cast<std::size_t>(std::abs(k))] *
             lost[static_cast<std::size_t>(step + k + kSteps + kBeside)];
    return sum;
  };
  int best = 0;
  for (int step = 1; step <= kSteps; ++step)
    for (const int way : {-step, step})
      if (around(way) < around(best)) best = way;
  values[alone] = at(best);
}

struct Fitted {
  Solution solution{};
  double sigma = 0;
};

// From a wide spread, over which every trial tells its way, to the one that fits best.
Fitted fit_free(const Problem& problem, const std::vector<bool>& free, double period) {
  Fitted best;
  std::vector<double> values(problem.unknowns);
  for (double sigma = period / 8; sigma > kLeast_sigma_ms; sigma *= 0.6) {
    Solution solution = climb(problem, values, sigma, free);
    values = solution.values;
    if (best.sigma > 0 && solution.log_likelihood <= best.solution.log_likelihood) continue;
    best = {std::move(solution), sigma};
  }
  return best;
}

// Unknowns that come in together: each overhead, each least time, the seek curve.
std::vector<std::vector<std::size_t>> sets_of(const Problem& problem) {
  std::vector<std::vector<std::size_t>> sets;
  for (std::size_t i = 0; i < problem.first_seek; ++i) sets.push_back({i});
  std::vector<std::size_t> seek;
  for (std::size_t i = problem.first_seek; i < problem.unknowns; ++i) seek.push_back(i);
  if (!seek.empty()) sets.push_back(seek);
  return sets;
}

// Some unknowns, fitted.
struct Choice {
  std::vector<bool> free{};
  Fitted fitted{};
};

struct Choices {
  double unchanged = 0;         // the log-likelihood of no change
  std::vector<Choice> alone{};  // each set that gains enough by itself
  Choice joint{};
};

// Forward selection: whichever set of unknowns gains most, as long as it gains more than noise does
// (Schwarz 1978, "Estimating the dimension of a model").
Choices choose(const Problem& problem, double period) {
  const std::vector<bool> none(problem.unknowns);
  Choices choices;
  choices.joint = {none, fit_free(problem, none, period)};
  choices.unchanged = choices.joint.fitted.solution.log_likelihood;
  std::vector<std::vector<std::size_t>> sets = sets_of(problem);
  const double each = 0.5 * std::log(static_cast<double>(problem.rows.size()));
  for (bool first = true; !sets.empty(); first = false) {
    std::optional<Choice> best_next;
    double best_gain = 0;
    std::size_t best_set = 0;
    for (std::size_t s = 0; s < sets.size(); ++s) {
      Choice next{choices.joint.free, {}};
      for (const std::size_t unknown : sets[s]) next.free[unknown] = true;
      next.fitted = fit_free(problem, next.free, period);
      const double gain = next.fitted.solution.log_likelihood -
                          choices.joint.fitted.solution.log_likelihood -
                          kTimesSchwarz * each * static_cast<double>(sets[s].size());
      if (gain <= 0) continue;
      if (first) choices.alone.push_back(next);
      if (gain <= best_gain) continue;
      best_gain = gain;
      best_next = std::move(next);
      best_set = s;
    }
    if (!best_next) break;
    choices.joint = std::move(*best_next);
    sets.erase(sets.begin() + static_cast<std::ptrdiff_t>(best_set));
  }
  return choices;
}

// What the unknowns mean. `errors`: of each unknown.
Positioning positioning_of(const Problem& problem, std::span<const Trial> trials,
                           const Choice& choice, const std::vector<double>& values,
                           const std::vector<double>& errors) {
  Positioning fit;
  fit.trials = trials.size();
  fit.distances = problem.bands;
  fit.sigma_ms = choice.fitted.sigma;
  fit.unknowns = static_cast<std::size_t>(std::ranges::count(choice.free, true));
  const std::vector<bool>& free = choice.free;
  const auto estimate = [&](std::size_t i, std::size_t samples) {
    return statistics::Estimate{values[i], errors[i], samples};
  };
  const auto is_free = [&](std::size_t unknown) { return unknown > 0 && free[unknown - 1]; };
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const std::size_t own = problem.kinds[kind], shared = problem.all[kind >= 2];
    if (own == 0 || (!is_free(own) && !is_free(shared))) continue;
    statistics::Estimate& sum = fit.overhead[kind].emplace();
    for (const std::size_t unknown : {own, shared}) {
      if (!is_free(unknown)) continue;
      sum.value += values[unknown - 1];
      sum.error = std::hypot(sum.error, errors[unknown - 1]);
    }
    sum.samples = static_cast<std::size_t>(
        std::ranges::count(trials, kind, [](const Trial& trial) { return kind_of(trial); }));
  }
  if (is_free(problem.inward))
    fit.inward = estimate(problem.inward - 1,
                          static_cast<std::size_t>(std::ranges::count_if(
                              trials, [](const Trial& t) { return t.distance > 0; })));
  const auto count_if = [&](const auto& holds) {
    return static_cast<std::size_t>(
        std::ranges::count_if(trials, [&](const Trial& t) { return t.distance == 0 && holds(t); }));
  };
  if (is_free(problem.least[0]))
    fit.least_read = estimate(problem.least[0] - 1,
                              count_if([](const Trial& t) { return !t.write; }));
  if (is_free(problem.least[1]))
    fit.least_write = estimate(problem.least[1] - 1,
                               count_if([](const Trial& t) { return t.write; }));
  if (is_free(problem.head_switch))
    fit.head_switch = estimate(problem.head_switch - 1,
                               count_if([](const Trial& t) { return t.other_head; }));
  if (!fit.distances.empty() && !free[problem.first_seek]) fit.distances.clear();
  for (std::size_t i = 0; i < fit.distances.size(); ++i)
    fit.seek.push_back(estimate(problem.first_seek + i, trials.size() / fit.distances.size()));
  return fit;
}

Positioning placed(const Problem& problem, std::span<const Trial> trials, const Choices& choices,
                   const Choice& choice, const std::vector<double>& errors) {
  const Solution& solution = choice.fitted.solution;
  std::vector<double> values = solution.values;
  place_value(problem, values, errors, choice.fitted.sigma);
  Positioning fit = positioning_of(problem, trials, choice, values, errors);
  fit.gain = solution.log_likelihood - choices.unchanged;
  return fit;
}

std::vector<double> errors_of(const Problem& problem, const Choice& choice) {
  return errors_of(problem, choice.fitted.solution, choice.fitted.sigma, choice.free);
}

double period_of(std::span<const Trial> trials) {
  return trials.front().high_ms - trials.front().low_ms;
}

}  // namespace

double Positioning::seek_at(double distance) const {
  if (distances.empty() || distance <= 0) return 0;
  const auto [i, share] = place(distances, distance);
  if (distances.size() == 1) return seek[0].value;
  return seek[i].value * (1 - share) + seek[i + 1].value * share;
}

double Positioning::correction(const Trial& trial) const {
  double sum = overhead[kind_of(trial)] ? overhead[kind_of(trial)]->value : 0;
  if (trial.distance > 0)
    return sum + seek_at(trial.distance) +
           (inward ? (trial.inward ? inward->value : -inward->value) : 0);
  if (const auto& least = trial.write ? least_write : least_read) sum += least->value;
  return sum + (trial.other_head && head_switch ? head_switch->value : 0);
}

Positioning fit_positioning(std::span<const Trial> trials) {
  if (trials.empty()) return {};
  const Problem problem = problem_of(trials);
  const Choices choices = choose(problem, period_of(trials));
  return placed(problem, trials, choices, choices.joint, errors_of(problem, choices.joint));
}

std::vector<Candidate> positioning_candidates(
    std::span<const Trial> trials, std::size_t folds,
    const std::function<std::size_t(std::size_t request)>& fold_of) {
  if (trials.empty()) return {};
  const Problem problem = problem_of(trials);
  Choices choices = choose(problem, period_of(trials));
  std::vector<Choice> all = choices.alone;
  if (std::ranges::none_of(all,
                           [&](const Choice& one) { return one.free == choices.joint.free; }) &&
      std::ranges::count(choices.joint.free, true) > 0)
    all.push_back(choices.joint);
  std::vector<Candidate> candidates;
  for (const Choice& choice : all) {
    const std::vector<double> errors = errors_of(problem, choice);
    Candidate candidate{placed(problem, trials, choices, choice, errors), {}};
    for (std::size_t fold = 0; fold < folds; ++fold) {
      Problem part = problem;
      part.rows.clear();
      for (std::size_t i = 0; i < trials.size(); ++i)
        if (fold_of(trials[i].request) != fold) part.rows.push_back(problem.rows[i]);
      std::vector<double> values =
          climb(part, choice.fitted.solution.values, choice.fitted.sigma, choice.free).values;
      place_value(part, values, errors, choice.fitted.sigma);
      candidate.without.push_back(positioning_of(problem, trials, choice, values, errors));
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace platter::calibrate

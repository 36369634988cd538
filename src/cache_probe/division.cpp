#include "cache_probe/division.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "cache_probe/responses.h"

namespace platter::cache_probe {
namespace {

// Chosen priors and shares of wrong answers; what is stated must be 1000 times likelier than all
// else.
constexpr double kMostError = 0.001, kLeastShareDivided = 1e-4;
constexpr double kAstrayChanges = 0.03;  // of the changes: a late answer was taken for a division
constexpr double kFewScattered = 0.3;    // too few of a window to ask for another division
constexpr double kInARowPrior = 0.1, kIrregularPrior = 0.2;
constexpr std::uint64_t kFewestChanges = 4;  // changes of load

std::int64_t modulo(std::int64_t a, std::int64_t n) { return (a % n + n) % n; }

// Requests of the new load until the window is full that it began in.
std::int64_t left_of_window(std::int64_t from, std::int64_t window, std::int64_t phase) {
  return modulo(phase - from - 1, window) + 1;
}

double log_astray() { return std::log(kAstrayChanges / static_cast<double>(2 * kMostWindow)); }

// Reads of the new load before the buffer is divided, and how probable that is.
std::vector<std::pair<std::int64_t, double>> foretold(const Division& by, std::int64_t from) {
  if (by.trigger == Division::Trigger::in_a_row) return {{by.requests, 1}};
  if (by.trigger != Division::Trigger::window) return {};
  const std::int64_t left = left_of_window(from, by.requests, by.phase);
  if (left == by.requests) return {{left, 1}};
  return {{left, 1 - kFewScattered}, {left + by.requests, kFewScattered}};
}

double log_likelihood(const LoadChange& change, const Division& by) {
  double later = 0;
  for (const auto& [reads, probable] : foretold(by, change.from)) {
    if (change.divided == change.from + reads) return std::log((1 - kAstrayChanges) * probable);
    if (change.until < change.from + reads) later += probable;
  }
  return change.divided == 0 && later > 0 ? std::log(later) : log_astray();
}

}  // namespace

std::vector<LoadChange> load_changes(const Record& record) {
  const Responses responses(record);
  std::vector<LoadChange> changes;
  bool slow = false;
  for (const Observation& seen : record.observations) {
    if (seen.question == Question::load_changed) {
      // Where the first of many blocks was not held, the buffer had not been divided for the
      // stream.
      if (responses.is_fast(seen)) changes.push_back({seen.x, 0, seen.x});
    } else if (seen.question == Question::divided && !changes.empty()) {
      LoadChange& change = changes.back();
      if (change.divided != 0) continue;
      const bool late = !responses.is_fast(seen);
      change.until = std::max(change.until, seen.x);
      if (seen.nth == 1 && slow && late) change.divided = seen.x;
      slow = late;
    }
  }
  return changes;
}

double alike(const Division& a, const Division& b, std::int64_t from) {
  double sum = 0;
  for (const auto& [when, p] : foretold(a, from))
    for (const auto& [same, q] : foretold(b, from))
      if (when == same) sum += std::sqrt(p * q);
  return sum;
}

bool Divisions::proven() const {
  return changes >= kFewestChanges && likeliest().share >= 1 - kMostError;
}

Divisions divisions_of(const std::vector<LoadChange>& changes) {
  Divisions found;
  std::int64_t longest = 0;
  for (const LoadChange& change : changes) {
    if (change.divided == 0) continue;
    ++found.changes;
    longest = std::max(longest, change.divided - change.from);
  }
  if (found.changes == 0) return found;

  // `share` is log(prior * likelihood) at first.
  std::vector<Division> all;
  // Each factor of two as likely as the next, each phase as likely as any; those at which nothing
  // was seen explain nothing.
  const double windows = std::log(static_cast<double>(kMostWindow) / kLeastWindow);
  for (std::int64_t window = kLeastWindow; window <= kMostWindow; ++window) {
    const double prior = std::log((1 - kInARowPrior - kIrregularPrior) / windows) -
                         2 * std::log(static_cast<double>(window));
    std::set<std::int64_t> phases;
    for (const LoadChange& change : changes)
      if (change.divided != 0) phases.insert(change.divided % window);
    for (const std::int64_t phase : phases) {
      all.push_back({Division::Trigger::window, window, phase, prior});
    }
  }
  for (std::int64_t requests = 1; requests <= kMostWindow; ++requests)
    all.push_back({Division::Trigger::in_a_row, requests, 0,
                   std::log(kInARowPrior / static_cast<double>(kMostWindow))});
  for (Division& by : all)
    for (const LoadChange& change : changes) by.share += log_likelihood(change, by);
  // Any number up to the largest seen.
  all.push_back({Division::Trigger::irregular, 0, 0,
                 std::log(kIrregularPrior) -
                     static_cast<double>(found.changes) * std::log(static_cast<double>(longest))});

  std::ranges::sort(all, std::ranges::greater(), &Division::share);
  double sum = 0;
  for (const Division& one : all) sum += std::exp(one.share - all[0].share);
  for (const Division& one : all) {
    const double share = std::exp(one.share - all[0].share) / sum;
    if (share < kLeastShareDivided) break;
    found.likely.push_back(one);
    found.likely.back().share = share;
  }
  return found;
}

std::int64_t reads_to_divide(const Record& record) {
  constexpr std::int64_t kUsual = 200;
  constexpr double kUnknown_ns = 0.06e9;  // all of them, where more might be needed
  const Divisions found = divisions_of(load_changes(record));
  const Division division = found.likeliest();
  const bool known = found.proven() && division.trigger == Division::Trigger::window;
  if (known) return 2 * division.requests;
  const double hit_ns = Responses(record).hit_rev() * record.setting.period_ns;
  return std::clamp(static_cast<std::int64_t>(kUnknown_ns / hit_ns), kUsual, 2 * kMostWindow);
}

}  // namespace platter::cache_probe

#include "cache_probe/waiting_data.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "cache_probe/facts.h"

namespace platter::cache_probe {
namespace {

// Chosen by trial on the catalogue's caches, which tests/cache_probe/recovery_test.cpp holds. 0.025
// and 1.96: of the middle 95 %.
constexpr double kSpread_rev = 0.01;  // how well it is known when a sector comes by
constexpr double kMisled = 0.03;      // of the probes: something else delayed them, or was in time
constexpr double kFinest_rev = 0.05, kStep = 1.0004;      // of the times that are weighed
constexpr double kOutside = 0.025, kMiddleSigmas = 1.96;  // of the middle 95 %
constexpr int kAhead = 2;  // so many more runs say the one than the other

}  // namespace

std::optional<double> passed_after_ns(const Record& record, const Observation& destaged) {
  if (!record.setting.angles_trusted || destaged.ahead_rev < 0) return std::nullopt;
  return static_cast<double>(destaged.x) * 1e3 -
         (1 - destaged.ahead_rev) * record.setting.period_ns;
}

std::optional<IdleTime> idle_before_destage(const Record& record) {
  struct Trial {
    double passed_ns;
    bool waited;
  };
  std::vector<Trial> trials;
  double longest_ns = 0;
  for (const Observation& seen : record.observations) {
    if (seen.question != Question::destaged) continue;
    const auto passed_ns = passed_after_ns(record, seen);
    if (!passed_ns) continue;
    trials.push_back({*passed_ns, synchronize_waited(record, seen)});
    longest_ns = std::max(longest_ns, *passed_ns);
  }
  const auto waited = std::ranges::count(trials, true, &Trial::waited);
  if (waited == 0 || waited == std::ssize(trials)) return std::nullopt;
  const double spread_ns = kSpread_rev * record.setting.period_ns;
  // Each factor of the time as likely as the next, before the probes.
  std::vector<double> times_ns, up_to = {0};
  for (double idle_ns = kFinest_rev * record.setting.period_ns; idle_ns < 2 * longest_ns;
       idle_ns *= kStep) {
    double weight = 1;
    for (const Trial& trial : trials) {
      const double waits = 0.5 *
                           std::erfc((trial.passed_ns - idle_ns) / spread_ns / std::sqrt(2.0));
      const double likely = kMisled + (1 - 2 * kMisled) * waits;
      weight *= trial.waited ? likely : 1 - likely;
    }
    times_ns.push_back(idle_ns);
    up_to.push_back(up_to.back() + weight);
  }
  const auto quantile_ns = [&](double share) {
    const auto at = std::ranges::upper_bound(up_to, share * up_to.back()) - up_to.begin() - 1;
    return times_ns[std::min(static_cast<std::size_t>(at), times_ns.size() - 1)];
  };
  const double median_ns = quantile_ns(0.5);
  const double half_ns = (quantile_ns(1 - kOutside) - quantile_ns(kOutside)) / 2;
  // The engine counts from when the write was taken up, the host knows when it heard of its
  // completion; the drive may count from any time between.
  const double response_ns = usual_write_ns(record), unknown_ns = response_ns / 2;
  const double error_ns = std::max(half_ns / kMiddleSigmas, (kStep - 1) * median_ns);
  return IdleTime{median_ns + response_ns, std::hypot(error_ns, unknown_ns), median_ns, error_ns,
                  trials.size()};
}

std::optional<bool> is_taken(const Record& record, std::int64_t blocks) {
  int taken = 0, waited = 0;
  for (const Observation& seen : record.observations) {
    if (seen.question != Question::write_fill || seen.x != blocks) continue;
    const bool waits = static_cast<double>(seen.response_ns()) >
                       longest_write_ns(record, seen.blocks);
    ++(waits ? waited : taken);
  }
  if (std::abs(taken - waited) < kAhead) return std::nullopt;
  return taken > waited;
}

std::optional<Taken> taken_blocks(const Record& record) {
  std::set<std::int64_t> lengths;
  Taken found;
  for (const Observation& seen : record.observations) {
    if (seen.question != Question::write_fill) continue;
    lengths.insert(seen.x);
    ++found.runs;
  }
  for (const std::int64_t length : lengths) {
    const auto taken = is_taken(record, length);
    if (!taken) continue;
    if (*taken && !found.too_many) found.most = static_cast<std::uint64_t>(length);
    if (!*taken && !found.too_many) found.too_many = static_cast<std::uint64_t>(length);
  }
  if (found.most == 0 || !found.too_many) return std::nullopt;
  return found;
}

}  // namespace platter::cache_probe

#include "replay/rotational_delay.h"

#include <cmath>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace platter::replay {
namespace {

constexpr std::size_t kFewestDelays = 30;  // so that the mean of uniform delays is a normal number
constexpr int kDelayAngles = 16;

// What the model takes for a request, averaged over the angles at which the platter may be; the
// engine is then as after that request.
double mean_prediction_ns(engine::Engine& engine, const Response& asked, double period_ns,
                          Nanoseconds& now_ns) {
  const auto kept = engine.checkpoint();
  const std::vector<std::byte> before(kept.begin(), kept.end());
  engine::Request request;
  request.lbn = asked.lbn;
  request.blocks = asked.blocks;
  request.write = asked.write;
  double sum_ns = 0;
  Nanoseconds end_ns = now_ns;
  for (int i = 0; i < kDelayAngles; ++i) {
    engine.roll_back(before);
    const auto arrival_ns = now_ns + static_cast<Nanoseconds>(i * period_ns / kDelayAngles);
    end_ns = engine.service(request, arrival_ns).completion_ns;
    sum_ns += static_cast<double>(end_ns - arrival_ns);
  }
  now_ns = end_ns;
  return sum_ns / kDelayAngles;
}

}  // namespace

std::optional<MeanDelay> mean_rotational_delay(const Result& random,
                                               const model::DriveModel& model) {
  if (random.caches != "off" || random.requests.size() < kFewestDelays) return {};
  engine::Engine engine(model);
  engine.set_cache({.read_cache = false, .write_cache = false, .read_ahead = false}, 0);
  const double period_ns = model::revolution_ns(model.rotation);
  Nanoseconds now_ns = 0;
  double sum = 0, squares = 0;
  std::uint64_t n = 0;
  bool arm_known = false;
  for (const Response& seen : random.requests) {
    if (seen.lbn + seen.blocks > engine.blocks()) return {};  // of another drive
    const double rest_ns = static_cast<double>(seen.response_ns) -
                           mean_prediction_ns(engine, seen, period_ns, now_ns);
    if (std::exchange(arm_known, true)) {
      sum += rest_ns;
      squares += rest_ns * rest_ns;
      ++n;
    }
  }
  const double mean = sum / static_cast<double>(n);
  const double variance = (squares - static_cast<double>(n) * mean * mean) /
                          static_cast<double>(n - 1);
  return MeanDelay{period_ns / 2 + mean, std::sqrt(variance / static_cast<double>(n)), n};
}

}  // namespace platter::replay

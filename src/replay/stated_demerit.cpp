#include "replay/stated_demerit.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "model/interruption.h"
#include "model/units.h"
#include "statistics/distribution.h"

namespace platter::replay {
namespace {

constexpr int kResamples = 200, kResamplesForError = 60;
// Half an event is what Jeffreys' prior holds of a share; of either side a half of that.
constexpr double kUnseen = 0.25;

double square_of_demerit(std::vector<double>& drive_ms, std::vector<double>& model_ms) {
  std::sort(drive_ms.begin(), drive_ms.end());
  std::sort(model_ms.begin(), model_ms.end());
  const double ms = statistics::demerit(drive_ms, model_ms);
  return ms * ms;
}

struct Squares {
  double mean = 0, variance = 0;
};

Squares squares_of(const std::vector<double>& values) {
  Squares result;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / n;
  for (const double value : values)
    result.variance += (value - result.mean) * (value - result.mean) / std::max(n - 1, 1.0);
  return result;
}

// The square of the demerit of requests as they were seen, and of resamples of their pairs: of
// these alone, and with what none of them showed.
class Resamples {
 public:
  Resamples(const std::vector<Answered>& requests, double revolution_ms, std::uint64_t seed,
            int count) {
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<std::size_t> any(0, requests.size() - 1);
    std::bernoulli_distribution unseen(kUnseen / static_cast<double>(requests.size()));
    const auto square_of = [&](auto one_of) {
      std::vector<double> drive_ms, model_ms;
      for (std::size_t i = 0; i < requests.size(); ++i) {
        const Answered one = one_of(i);
        drive_ms.push_back(one.drive_ms);
        model_ms.push_back(one.model_ms);
      }
      return square_of_demerit(drive_ms, model_ms);
    };
    seen_ = square_of([&](std::size_t i) { return requests[i]; });
    std::vector<double> resampled, with_unseen;
    for (int i = 0; i < count; ++i) {
      stop_if_asked();
      resampled.push_back(square_of([&](std::size_t) { return requests[any(random)]; }));
      with_unseen.push_back(square_of([&](std::size_t) {
        Answered one = requests[any(random)];
        if (unseen(random)) one.drive_ms += revolution_ms;
        if (unseen(random)) one.model_ms += revolution_ms;
        return one;
      }));
    }
    of_seen_ = squares_of(resampled);
    with_unseen_ = squares_of(with_unseen);
  }

  double seen() const { return seen_; }
  const Squares& of_seen() const { return of_seen_; }
  const Squares& with_unseen() const { return with_unseen_; }

 private:
  double seen_ = 0;
  Squares of_seen_{}, with_unseen_{};
};

}  // namespace

std::vector<Answered> answered(const Result& drive, const Result& model, std::size_t from) {
  std::vector<Answered> result;
  for (std::size_t i = from; i < drive.requests.size(); ++i) {
    const Response& ours = model.requests[i];
    const Nanoseconds free_ns = i > 0 ? model.requests[i - 1].completion_ns() : ours.issue_ns;
    result.push_back({to_ms(drive.requests[i].response_ns),
                      to_ms(ours.completion_ns() - std::max(ours.issue_ns, free_ns))});
  }
  return result;
}

std::optional<double> demerit_error_ms(const std::vector<Answered>& requests,
                                       double revolution_ms) {
  constexpr std::uint64_t kSeed = 1;
  if (requests.empty()) return std::nullopt;
  // Of more than so many an even part is resampled: the variance goes with their number.
  const std::size_t kept = std::min<std::size_t>(requests.size(), kStatedRequests);
  std::vector<Answered> part;
  for (std::size_t i = 0; i < kept; ++i) part.push_back(requests[i * requests.size() / kept]);
  const Resamples resamples(part, revolution_ms, kSeed, kResamplesForError);
  const double fewer = static_cast<double>(kept) / static_cast<double>(requests.size());
  const double unsure = std::sqrt(resamples.with_unseen().variance * fewer);
  return std::sqrt(resamples.seen() + unsure) - std::sqrt(resamples.seen());
}

StatedDemerit stated_demerit(const std::vector<Answered>& requests,
                             const std::vector<double>& itself_ms, double revolution_ms,
                             std::uint64_t seed) {
  if (requests.empty()) return {};
  const Resamples resamples(requests, revolution_ms, seed, kResamples);
  const double seen = resamples.seen();
  std::vector<double> itself;
  for (const double ms : itself_ms) itself.push_back(ms * ms);
  const Squares of_itself = squares_of(itself);
  // A resample exceeds what was seen by as much as that exceeds what many requests would show.
  const double by_chance = std::max(0.0, resamples.of_seen().mean - seen);
  const double fewer = static_cast<double>(requests.size()) / kStatedRequests;
  const double floor = of_itself.mean + by_chance * fewer;
  const double stated = std::max(0.0, seen - by_chance) + floor;
  const double unsure = std::sqrt(resamples.with_unseen().variance + of_itself.variance);
  const double ms = std::sqrt(stated);
  return {ms, std::sqrt(stated + unsure) - ms, std::sqrt(floor)};
}

}  // namespace platter::replay

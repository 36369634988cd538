#include "estimate/phase_jumps.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

namespace platter::estimate {
namespace {

// Completions nearer to where they should be have not jumped.
constexpr double kNear_rev = 0.02, kStill_sigmas = 6;
// So many in a row agree in another phase.
constexpr std::size_t kAgree = 3;
// Of the time: spindles are known to wander by so much.
constexpr double kDriftOfTime = 6e-6;
// A phase that is this unsure tells no jump.
constexpr double kUnsure_rev = 0.1;

class Follower {
 public:
  Follower(double period_ns, double relative_error, double noise_ns)
      : period_ns_(period_ns), relative_error_(relative_error), noise_rev_(noise_ns / period_ns) {}

  // The first completion of a phase that this one confirms.
  std::optional<Nanoseconds> take(Nanoseconds time_ns) {
    if (!begun_) return begin(time_ns);
    const double unsure = unsure_rev(time_ns - last_ns_);
    if (unsure > kUnsure_rev) return begin(time_ns);
    const double turns = std::round(turns_between(last_ns_, time_ns));
    if (std::abs(turns_between(last_ns_, time_ns) - turns) <= allowed_rev(unsure))
      return follow(time_ns, turns);
    if (!elsewhere_.empty() && !agree(elsewhere_.front(), time_ns)) elsewhere_.clear();
    elsewhere_.push_back(time_ns);
    if (elsewhere_.size() < kAgree) return std::nullopt;
    const Nanoseconds first_ns = elsewhere_.front();
    const bool was_late_itself = followed_ + 1 < kAgree;
    begin(time_ns);
    followed_ = kAgree;
    return was_late_itself ? std::nullopt : std::optional(first_ns);
  }

 private:
  double turns_between(Nanoseconds from_ns, Nanoseconds to_ns) const {
    return static_cast<double>(to_ns - from_ns) / period_ns_;
  }
  double unsure_rev(Nanoseconds since_ns) const {
    const double since_rev = static_cast<double>(since_ns) / period_ns_;
    return since_rev * std::max(relative_error_, kDriftOfTime);
  }
  double allowed_rev(double unsure_rev) const {
    return std::max(kNear_rev, kStill_sigmas * noise_rev_) + unsure_rev;
  }
  bool agree(Nanoseconds first_ns, Nanoseconds time_ns) const {
    const double turns = turns_between(first_ns, time_ns);
    return std::abs(turns - std::round(turns)) <= allowed_rev(unsure_rev(time_ns - first_ns)) / 2;
  }

  std::optional<Nanoseconds> begin(Nanoseconds time_ns) {
    began_ns_ = last_ns_ = time_ns;
    begun_ = true;
    turns_ = 0;
    followed_ = 0;
    elsewhere_.clear();
    return std::nullopt;
  }
  std::optional<Nanoseconds> follow(Nanoseconds time_ns, double turns) {
    elsewhere_.clear();
    ++followed_;
    turns_ += turns;
    last_ns_ = time_ns;
    if (turns_ <= 0) return std::nullopt;
    const double error = allowed_rev(0) / turns_;  // either end may be late by as much
    if (error < relative_error_) {
      relative_error_ = error;
      period_ns_ = static_cast<double>(time_ns - began_ns_) / turns_;
    }
    return std::nullopt;
  }

  double period_ns_, relative_error_, noise_rev_;
  bool begun_ = false;
  Nanoseconds began_ns_ = 0, last_ns_ = 0;
  double turns_ = 0;          // from where this phase began
  std::size_t followed_ = 0;  // so many were in it
  std::vector<Nanoseconds> elsewhere_;
};

}  // namespace

std::vector<Nanoseconds> phase_jumps(std::span<const Nanoseconds> completions, double period_ns,
                                     double relative_error, double noise_ns) {
  Follower follower(period_ns, relative_error, noise_ns);
  std::vector<Nanoseconds> jumps;
  for (const Nanoseconds time_ns : completions)
    if (const auto jump = follower.take(time_ns)) jumps.push_back(*jump);
  return jumps;
}

}  // namespace platter::estimate

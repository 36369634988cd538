// What the host and the path to the drive add to a command's time: round trips of commands that
// need no media (TEST UNIT READY) show it as a distribution. The room holds what disturbs times, as
// distributions, and what they make of a number; no experiment of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace platter::noise {

class HostDelay {
 public:
  // Times of the round trips, in ms. The drive's own share in them is about constant.
  explicit HostDelay(std::vector<double> round_trips_ms);

  std::size_t samples() const { return sorted_ms_.size(); }
  double median_ms() const { return median_ms_; }
  double quantile_ms(double share) const;
  // Standard deviation of one way, as half of a round trip, by the middle two thirds.
  double spread_ms() const;
  // Of all of them, those that take more than the median by more than `ms`.
  double share_beyond(double ms) const;

  // An overhead holds one way into the drive and one out of it, and where the delay has a tail
  // these have no one location. Completions are followed by a mean in which none pulls by more than
  // `most_ms`; this is what a number is unsure by, for it: what the mean of one way, half of a
  // round trip, exceeds that by.
  double unsure_ms(double most_ms) const;

 private:
  std::vector<double> sorted_ms_;
  double median_ms_ = 0;
};

// nullopt: too few.
std::optional<HostDelay> host_delay(std::vector<double> round_trips_ms);

// Where a round trip's time goes, where the kernel stamped it.
struct HostShares {
  HostDelay above;   // the kernel's dispatch to the host adapter: system call, block layer,
                     // scheduler, wake-up
  HostDelay behind;  // it, until the completion is back: adapter, link, drive
};

// nullopt: too few.
std::optional<HostShares> host_shares(std::vector<double> above_ms, std::vector<double> behind_ms);

enum class Quietness : std::uint8_t { quiet, noisy, too_noisy };
// `most_ms`: as of unsure_ms().
Quietness quietness(const HostDelay& host, double period_ms, double most_ms);
// Before a run: how quiet the host is, and for what that is enough.
std::string enough_for(const HostDelay& host, double period_ms, double most_ms);

// Whether a host is too noisy for times within a revolution to be told, or noisy, and what of the
// model hangs on it; for a reader of the model. nullopt: neither.
// `shares`: where it is known, the sentence says which part the noise is in.
std::optional<std::string> told(const HostDelay& host, double period_ms, double most_ms,
                                const std::optional<HostShares>& shares = std::nullopt);

// Whether the delay was another at some time of the run: `parts` are the round trips of its stages,
// in ms. nullopt: no more than by chance.
std::optional<std::string> told_changes(std::span<const std::vector<double>> parts);

}  // namespace platter::noise

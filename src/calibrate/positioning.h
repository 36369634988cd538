// How much longer than in the model a drive takes from command to the first sector, fitted to what
// each access tells: an interval of one revolution.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "calibrate/trials.h"
#include "statistics/robust.h"

namespace platter::calibrate {

// Read after read, read after write, write after read, write after write, and one of the latter for
// which the drive disconnects once more.
constexpr std::size_t kKinds = 5;
inline std::size_t kind_of(const Trial& trial) {
  if (trial.extra) return 4;
  return (trial.write ? 2u : 0u) + (trial.after_write ? 1u : 0u);
}

// All in ms, to be added to the model's.
struct Positioning {
  std::array<std::optional<statistics::Estimate>, kKinds> overhead{};
  // Of accesses on the cylinder where the arm stands: for reads, for writes, and what another head
  // adds.
  std::optional<statistics::Estimate> least_read{}, least_write{}, head_switch{};
  std::optional<statistics::Estimate> inward{};  // of seeks: less outward
  // Seeks, linear in the logarithm of the distance between these, level beyond them.
  std::vector<double> distances{};
  std::vector<statistics::Estimate> seek{};
  double sigma_ms = 0;                   // of one access about the fit
  double gain = 0;                       // of the logarithm of the likelihood, against no change
  std::size_t unknowns = 0, trials = 0;  // unknowns that the trials tell beyond noise; others are
                                         // absent

  double seek_at(double distance) const;
  double correction(const Trial& trial) const;
};

// Maximum likelihood: a trial of expected correction c and spread sigma falls into its interval
// with a probability that a Gaussian gives; one in fifty falls anywhere (retries, recalibrations).
// Weak priors of 0.5 ms keep what no trial tells at 0, and a seek's correction near its
// neighbours'.
Positioning fit_positioning(std::span<const Trial> trials);

// A fit, and what it is without the trials of each fold, which can then judge it.
struct Candidate {
  Positioning all{};
  std::vector<Positioning> without{};
};

// Each unknown alone, if it gains beyond noise, and the fit of all that do one after the other.
std::vector<Candidate> positioning_candidates(
    std::span<const Trial> trials, std::size_t folds,
    const std::function<std::size_t(std::size_t request)>& fold_of);

}  // namespace platter::calibrate

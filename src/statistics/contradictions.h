// Whether answers contradict a hypothesis more often than noise alone lets them: a sequential test
// that may be judged after each answer, however long it goes on.
#pragma once

#include <array>
#include <cstdint>

namespace platter::statistics {

// Each answer contradicts the hypothesis or does not, and would do so by noise with a probability
// of its own. The other hypotheses: a share of the answers, of 1 to 64 % and each factor of two as
// likely, is not what the first says. The odds are a martingale under it, so that noise alone ever
// brings them to R in one case of R at most (Robbins 1970, mixtures; Ville's inequality).
class Contradictions {
 public:
  // by_noise: above 0 and at most 0.5; an answer that is as likely the one as the other tells
  // nothing.
  void add(bool contradicts, double by_noise);

  std::uint64_t answers() const { return answers_; }
  std::uint64_t contradicting() const { return contradicting_; }
  double by_noise() const { return by_noise_; }  // so many are expected to contradict by noise

  // P(answers | some such share) / P(answers | noise alone).
  double odds() const;
  // Twenty to one against each share of 4 % or more.
  bool refuted() const;

 private:
  static constexpr std::array kShares = {0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64};
  static constexpr std::size_t kWorthKnowing = 2;  // the first of these

  std::uint64_t answers_ = 0, contradicting_ = 0;
  double by_noise_ = 0;
  std::array<double, kShares.size()> log_odds_{};
};

}  // namespace platter::statistics

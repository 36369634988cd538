// Whether completions keep step with a turning platter, and at which period: from pairs of media
// accesses, so that nothing need be known of where on the platter the first one was, nor of how
// long the recorder's clock kept pace with the spindle.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "calibrate/accesses.h"

namespace platter::calibrate {

// What is trusted of the model's angles: differences on tracks side by side (each kind of
// neighbours on its own, up to a constant), those within a zone, all of them.
enum class Trust { neighbours, zone, all };

struct Pair {
  double apart_ns = 0;    // completion to completion; negative: upwards in place is back in time
  double turn_rev = 0;    // by which the platter must have turned in that time, modulo 1
  std::size_t group = 0;  // pairs whose turn is off by the same constant, if it is off
  std::size_t later = 0;  // the later one's place among the accesses
};

// Of accesses on one track each, at most `apart_ns` from one another, each with at most
// three earlier ones.
std::vector<Pair> pairs_of(std::span<const Access> accesses, Trust trust, double apart_ns);

struct Coherence {
  double share = 0;      // length of the mean vector within groups, 0 to 1
  double statistic = 0;  // sum over groups of n R^2, a sum of `groups` unit exponentials by chance
  std::size_t groups = 0, pairs = 0;
  double overlap = 1;  // pairs for each access that is the later one of a pair

  // Upper bound of ln(probability) of such a statistic by chance (Chernoff), if it is the best of
  // `tried`; accesses that are in several pairs are allowed for.
  double log_chance(std::size_t tried) const;
};

Coherence coherence_at(std::span<const Pair> pairs, double period_ns);

struct Spindle {
  double period_ns = 0, error_ns = 0;
  std::size_t pairs = 0;
  Trust trust = Trust::neighbours;
  Coherence coherence{};
  double steady_ns = 0;  // over so long a time the phase can be followed at this period
};

// The period within 3 % of the model's at which the accesses keep step; nullopt if they do at none
// beyond chance (1e-6, everything that was tried counted), or with a shorter mean vector.
std::optional<Spindle> find_spindle(std::span<const Access> accesses, double nominal_ns,
                                    double least_share = 0.5);

// How well the same pairs keep step with their turns shuffled, at the best period, as a share of
// how well they do: near 1 where the host's pacing makes them, not the spindle.
double shuffled_share(std::span<const Access> accesses, const Spindle& spindle);

}  // namespace platter::calibrate

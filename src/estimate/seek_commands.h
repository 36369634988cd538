// What SEEK commands tell, by distance: each ends when the arm is there, so that it tells the whole
// time and waits for no sector (DIXtrac, section 4.2, "Seek Times"). Some drives answer them at
// once, or move otherwise; so what they say counts only where MTBRCs of several distances say the
// same. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "estimate/samples.h"
#include "statistics/robust.h"

namespace platter::estimate {

// Times in ns by move in cylinders, to higher ones (inward) above 0; 0: to the track where the arm
// is. Where both directions are taken together, by distance.
using SeekTimes = std::map<std::int64_t, statistics::Estimate>;

// Of the SEEK commands in kept samples, each direction apart or both together; moves seen less
// often than `least` are left out. The spread of one command is taken from all moves together.
SeekTimes command_times(const Samples& samples, bool apart, std::size_t least = 4);

// Whether seeks inward take other times than seeks outward, beyond doubt: at all distances
// together, or at the shorter or the longer ones among them, so that a difference that changes its
// sign shows, too. `times` with each direction apart.
bool directions_differ(const SeekTimes& times);

// Of SEEK commands to other heads of the cylinder; nullopt: too few.
std::optional<statistics::Estimate> command_switch_time(const Samples& samples);

struct Constant {
  double value_ns = 0, error_ns = 0;
  // The one move of many whose MTBRC contradicts all others: it ends where angles are not what the
  // map says.
  std::optional<std::int64_t> stranger = {};
};

// What SEEK's times exceed the MTBRCs of the same distances by, if that is one constant within
// their errors, but for one of seven or more. nullopt: it is not, or too few distances have both.
std::optional<Constant> constant_between(const SeekTimes& commands, const SeekTimes& mtbrcs,
                                         std::size_t least = 4);

using TimesByMove = std::map<std::int64_t, std::vector<double>>;  // of single commands, ns
// Of these, as command_times() has it.
SeekTimes estimates_of(const TimesByMove& times, std::size_t least);
// The standard error of a location that one command tells, from what those of each move deviate
// from their median.
double error_of_one_ns(const TimesByMove& times);

}  // namespace platter::estimate

// SEEK commands by distance: each ends when the arm is there, so that it tells the whole time and
// waits for no sector (DIXtrac, section 4.2, "Seek Times"). Some drives answer them at once, or
// move otherwise; so what they say counts only where MTBRCs of several distances say the same.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "mtbrc/access.h"
#include "statistics/robust.h"

namespace platter::mtbrc {

// Times in ns by move in cylinders, to higher ones (inward) above 0; 0: to the track where the arm
// is. Where both directions are taken together, by distance.
using SeekTimes = std::map<std::int64_t, statistics::Estimate>;

// Of the SEEK commands in kept samples, each direction apart or both together; moves seen less
// often than `least` are left out. The spread of one command is taken from all moves together.
// Pure.
SeekTimes command_times(const Samples& samples, bool apart, std::size_t least = 4);

// Whether seeks inward take other times than seeks outward, beyond doubt: at all distances
// together, or at the shorter or the longer ones among them, so that a difference that changes its
// sign shows, too. `times` with each direction apart. Pure.
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

class SeekCommands {
 public:
  // context.map with LBNs where the drive has them.
  explicit SeekCommands(Context& context);

  // The drive takes the command and every LBN fits into it.
  bool usable();
  // Commands over each of these distances, in any order, until every one has so many; those that
  // have more already are left. Inward and outward alike, from place to place all over the disk.
  void measure(std::vector<std::uint32_t> distances, std::size_t commands, const Meter& meter);
  // So many that the standard error of each is about this.
  void sharpen(const std::vector<std::uint32_t>& distances, double error_ns, const Meter& meter);
  // Looks at a distance within each interval between measured ones; where a straight line is off by
  // more than `tolerance_ns` beyond doubt, the distance becomes one of them.
  void look_between(double tolerance_ns, double error_ns, const Meter& meter);

  // Distances whose commands went as often either way tell so; from then on each direction is
  // sharpened for itself.
  bool directions_differ();
  // Each direction apart once directions_differ() said so, else both together.
  SeekTimes times(std::size_t least = 4) const;
  // Commands to other heads of the cylinder, from place to place, as samples of experiment
  // head_switch without blocks; about so many.
  void switch_heads(std::size_t commands, const Meter& meter);

 private:
  struct Timed {
    std::vector<double> inward_ns, outward_ns;
    int failures = 0;
    std::size_t commands() const { return inward_ns.size() + outward_ns.size(); }
  };
  using TimesByMove = std::map<std::int64_t, std::vector<double>>;
  TimesByMove times_by_move(bool apart) const;
  SeekTimes means(std::size_t least) const;  // of both directions, by distance
  bool time_one(std::uint32_t distance);
  void rest();
  bool go(const engine::Track& track);
  std::optional<std::uint64_t> lbn_on(const engine::Track& track);
  bool reachable(std::uint32_t distance) const;
  std::size_t commands_for(double error_ns) const;
  void settle(const std::vector<std::uint32_t>& distances, const Meter& meter);

  Context& context_;
  const engine::LayoutMap& map_;
  Accesses accesses_;
  std::optional<engine::Track> at_;  // where the arm is
  std::map<std::uint32_t, Timed> timed_;
  bool apart_ = false;
};

}  // namespace platter::mtbrc

// SEEK commands by distance: each ends when the arm is there, so that it tells the whole time and
// waits for no sector (DIXtrac, section 4.2, "Seek Times"). What they say:
// estimate/seek_commands.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "estimate/seek_commands.h"
#include "mtbrc/access.h"

namespace platter::mtbrc {

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
  estimate::SeekTimes times(std::size_t least = 4) const;
  // Commands to other heads of the cylinder, from place to place, as samples of experiment
  // head_switch without blocks; about so many.
  void switch_heads(std::size_t commands, const Meter& meter);

 private:
  struct Timed {
    std::vector<double> inward_ns, outward_ns;
    int failures = 0;
    std::size_t commands() const { return inward_ns.size() + outward_ns.size(); }
  };
  estimate::TimesByMove times_by_move(bool apart) const;
  estimate::SeekTimes means(std::size_t least) const;  // of both directions, by distance
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

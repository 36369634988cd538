#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "emit/disksim/g1_export.h"
#include "emit/disksim/parameter_text.h"

namespace platter::emit_disksim {
namespace {

// A zone's skews as DiskSim's files have them: in sectors or in revolutions.
// DiskSim cuts skews in sectors to whole ones; only such survive, and only they stay exact in its
// arithmetic, which makes up for what a revolution is longer than its sectors.
class SkewText {
 public:
  // `sectors` of a track; all the zone's skews, from 0 to 1 revolution.
  SkewText(std::uint32_t sectors, std::initializer_list<double> skews_rev)
      : sectors_(sectors), whole_(std::ranges::all_of(skews_rev, [&](double rev) {
          return std::fabs(rev * sectors_ - std::round(rev * sectors_)) < 1e-9;
        })) {}

  const char* units() const { return whole_ ? "sectors" : "revolutions"; }
  double number(double rev) const {
    return whole_ ? std::fmod(std::round(rev * sectors_), sectors_) : rev;
  }

 private:
  double sectors_;
  bool whole_;
};

std::string zone_text(const G1Zone& zone) {
  const SkewText skews(zone.sectors,
                       {zone.offset_rev, zone.track_skew_rev, zone.cylinder_skew_rev});
  BlockText block("dm_layout_g1_zone");
  block.integer("First cylinder number", zone.first_cylinder);
  block.integer("Last cylinder number", zone.last_cylinder);
  block.integer("Blocks per track", zone.sectors);
  block.add("Skew units", skews.units());
  block.real("Offset of first block", skews.number(zone.offset_rev));
  block.real("Skew for track switch", skews.number(zone.track_skew_rev));
  block.real("Skew for cylinder switch", skews.number(zone.cylinder_skew_rev));
  block.integer("Empty space at zone front", zone.dead);
  block.integer("Number of spares", zone.spares);
  std::vector<std::string> slips, defects;
  for (const std::int64_t slip : zone.slips) slips.push_back(std::to_string(slip));
  for (const auto& [defect, replacement] : zone.defects) {
    defects.push_back(fmt::format("{}, {}", defect, replacement));
  }
  block.add("slips", list_text(slips, 6));
  block.add("defects", list_text(defects, 6));
  return block.text(6);
}

}  // namespace

std::string g1_text(const G1Layout& layout) {
  BlockText block("dm_layout_g1");
  block.integer("LBN-to-PBN mapping scheme", layout.mapping);
  block.integer("Sparing scheme used", layout.sparing);
  block.integer("Rangesize for sparing", layout.range_cylinders);
  std::string zones = "[\n      ";
  for (std::size_t i = 0; i < layout.zones.size(); ++i) {
    zones += zone_text(layout.zones[i]) + (i + 1 < layout.zones.size() ? ",\n      " : "\n    ]");
  }
  block.add("Zones", zones);
  return block.text(2);
}

}  // namespace platter::emit_disksim

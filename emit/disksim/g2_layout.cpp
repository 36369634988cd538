#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <sstream>

#include "emit/disksim/block_places.h"
#include "emit/disksim/import_parts.h"
#include "emit/disksim/no_place.h"
#include "emit/disksim/track_runs.h"
#include "model/text_file.h"

namespace platter::emit_disksim {
namespace {

struct G2Zone {
  Where where;
  std::int64_t first_cylinder, last_cylinder, first_lbn, last_lbn, sectors;
  double skew_rev, track_skew_rev, cylinder_skew_rev;
};

// Blocks in a row on one track.
struct Extent {
  std::int64_t lbn, cylinder, head, sector, length;
  int line;
};

struct MapFile {
  std::shared_ptr<const std::string> path;
  std::int64_t cylinders = 0, heads = 0;
  std::vector<Extent> extents;  // by LBN

  Where where(int line) const { return {path, line}; }
};

using TrackName = std::pair<std::int64_t, std::int64_t>;  // cylinder, head

// ---------------------------------------------------------------- reading

constexpr std::int64_t kMostBlocksG2 = std::int64_t{1} << 40;

G2Zone read_zone(const Value& value, std::vector<std::string>& notes) {
  const auto* block = std::get_if<std::shared_ptr<const Block>>(&value.data);
  if (block == nullptr || (*block)->type != "dm_layout_g2_zone") {
    fail_at(value.where, "\"Zones\" must be a list of dm_layout_g2_zone blocks");
  }
  BlockReader reader(**block);
  G2Zone zone{};
  zone.where = (*block)->where;
  zone.first_cylinder = reader.integer("First cylinder number", 0, kMostCylinders);
  zone.last_cylinder = reader.integer("Last cylinder number", zone.first_cylinder, kMostCylinders);
  zone.first_lbn = reader.integer("First LBN", 0, kMostBlocksG2);
  zone.last_lbn = reader.integer("Last LBN", 0, kMostBlocksG2);
  zone.sectors = reader.integer("Blocks per track", 1, 1 << 20);
  bool revolutions = false;
  if (reader.has("Skew units")) {
    const std::string& units = reader.text("Skew units");
    if (units != "revolutions" && units != "sectors") {
      fail_at(reader.where("Skew units"), "\"Skew units\" must be revolutions or sectors");
    }
    revolutions = units == "revolutions";
  }
  const auto skew = [&](const char* name) {  // in sectors only whole ones count, as in DiskSim
    if (!reader.has(name)) return 0.0;
    const double number = reader.real(name);
    if (!(std::fabs(number) <= 1e9))
      fail_at(reader.where(name), fmt::format("\"{}\" is too large", name));
    return fraction(revolutions ? number : std::trunc(number) / static_cast<double>(zone.sectors));
  };
  zone.skew_rev = skew("Zone Skew");
  zone.track_skew_rev = skew("Skew for track switch");
  zone.cylinder_skew_rev = skew("Skew for cylinder switch");
  note_unknown(reader, notes);
  return zone;
}

std::vector<G2Zone> read_zones(BlockReader& reader, std::vector<std::string>& notes) {
  std::vector<G2Zone> zones;
  for (const Value& value : reader.list("Zones")) zones.push_back(read_zone(value, notes));
  return zones;
}

// "lbn L --> cyl C, head H, sect S, count N", or "seqcnt" and a number less by one.
bool read_extent(const std::string& line, Extent& extent) {
  long long lbn = 0, cylinder = 0, head = 0, sector = 0, count = 0;
  char word[16] = "";
  if (std::sscanf(line.c_str(), "lbn %lld --> cyl %lld, head %lld, sect %lld, %15s %lld", &lbn,
                  &cylinder, &head, &sector, word, &count) != 6) {
    return false;
  }
  constexpr long long kMost = 1LL << 48;  // what is larger was cut off when it was read
  for (const long long value : {lbn, cylinder, head, sector, count})
    if (value > kMost || value < -kMost) return false;
  extent = {lbn, cylinder, head, sector, count + (std::strcmp(word, "seqcnt") == 0 ? 1 : 0), 0};
  return true;
}

// Two lines that say what drive it is, the numbers of cylinders and heads, the blocks, the defects
// (which hold no block, so that nothing is to be learnt from them).
MapFile read_map(const std::string& path) {
  std::istringstream lines(model::read_text(path));
  MapFile map;
  map.path = std::make_shared<const std::string>(path);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (number <= 2 || line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const Where where = map.where(number);
    if (number == 3) {
      long long cylinders = 0, heads = 0;
      if (std::sscanf(line.c_str(), "%lld cylinders, %*d rot, %lld heads", &cylinders, &heads) !=
              2 ||
          cylinders < 1 || cylinders > kMostCylinders || heads < 1 || heads > 1024) {
        fail_at(where, "the third line of a layout map must be \"C cylinders, R rot, H heads\"");
      }
      map.cylinders = cylinders;
      map.heads = heads;
      continue;
    }
    if (line.starts_with("Defect")) break;
    Extent extent{};
    if (!read_extent(line, extent)) {
      fail_at(where, "a line of a layout map must be \"lbn L --> cyl C, head H, sect S, count N\"");
    }
    extent.line = number;
    const std::int64_t next = map.extents.empty()
                                  ? 0
                                  : map.extents.back().lbn + map.extents.back().length;
    if (extent.lbn != next)
      fail_at(where, fmt::format("block {} is expected here, not {}", next, extent.lbn));
    if (extent.cylinder < 0 || extent.cylinder >= map.cylinders || extent.head < 0 ||
        extent.head >= map.heads || extent.sector < 0 || extent.length < 1 ||
        extent.length > kMostBlocksG2) {
      fail_at(where, "the place is none of the drive's");
    }
    map.extents.push_back(extent);
  }
  if (map.extents.empty()) fail_at(map.where(1), "the layout map holds no blocks");
  return map;
}

// ---------------------------------------------------------------- tracks in the order of blocks

// Which zone a cylinder is in: the first one in the file, as for DiskSim.
class ZoneOfCylinder {
 public:
  explicit ZoneOfCylinder(const std::vector<G2Zone>& zones) {
    for (const G2Zone& zone : zones) take(zone);
  }

  const G2Zone* find(std::int64_t cylinder) const {
    auto after = taken_.upper_bound(cylinder);
    if (after == taken_.begin() || cylinder > (--after)->second.last) return nullptr;
    return after->second.zone;
  }
  const G2Zone& at(std::int64_t cylinder, const Where& where) const {
    const G2Zone* zone = find(cylinder);
    if (zone == nullptr) fail_at(where, fmt::format("no zone has the cylinder {}", cylinder));
    return *zone;
  }

 private:
  struct Part {
    std::int64_t last;
    const G2Zone* zone;
  };

  // What no zone in front of it has.
  void take(const G2Zone& zone) {
    std::int64_t next = zone.first_cylinder;
    auto part = taken_.upper_bound(next);
    if (part != taken_.begin() && std::prev(part)->second.last >= next)
      next = std::prev(part)->second.last + 1;
    for (; next <= zone.last_cylinder; ++part) {
      const std::int64_t end = part == taken_.end() ? zone.last_cylinder + 1
                                                    : std::min(part->first, zone.last_cylinder + 1);
      if (next < end) taken_.emplace_hint(part, next, Part{end - 1, &zone});
      if (part == taken_.end()) return;
      next = part->second.last + 1;
    }
  }

  std::map<std::int64_t, Part> taken_{};  // by first cylinder
};

// A track comes where its longest run of blocks does: a remapped block elsewhere does not move it.
std::vector<TrackName> tracks_in_order(const std::vector<Extent>& extents) {
  std::map<TrackName, const Extent*> longest;
  for (const Extent& extent : extents) {
    const Extent*& best = longest[{extent.cylinder, extent.head}];
    if (best == nullptr || extent.length > best->length) best = &extent;
  }
  std::vector<std::pair<std::int64_t, TrackName>> order;
  for (const auto& [track, extent] : longest) order.emplace_back(extent->lbn, track);
  std::sort(order.begin(), order.end());
  std::vector<TrackName> tracks;
  for (const auto& [lbn, track] : order) tracks.push_back(track);
  return tracks;
}

// The map has the say; DiskSim finds a block's zone by the zone's own numbers.
void note_contradictions(const std::vector<G2Zone>& zones, const ZoneOfCylinder& zone_of,
                         const MapFile& map, std::vector<std::string>& notes) {
  struct Blocks {
    std::int64_t first = -1, last = -1;
  };
  std::vector<Blocks> found(zones.size());
  for (const Extent& extent : map.extents) {
    const G2Zone* zone = zone_of.find(extent.cylinder);
    if (zone == nullptr) continue;
    Blocks& its = found[static_cast<std::size_t>(zone - zones.data())];
    if (its.first < 0) its.first = extent.lbn;
    its.last = extent.lbn + extent.length - 1;
  }
  for (std::size_t i = 0; i < zones.size(); ++i) {
    const G2Zone& zone = zones[i];
    const auto [first, last] = found[i];
    if (first != zone.first_lbn || last != zone.last_lbn) {
      notes.push_back(fmt::format(
          "First LBN = {}, Last LBN = {} ({}) are not those of the layout map, {} and {}, and "
          "are ignored",
          zone.first_lbn, zone.last_lbn, zone.where.brief(), first, last));
    }
    if (zone.last_cylinder >= map.cylinders) {
      notes.push_back(
          fmt::format("Last cylinder number = {} ({}) is past the {} cylinders of the layout map",
                      zone.last_cylinder, zone.where.brief(), map.cylinders));
    }
  }
}

// DiskSim's code takes a zone's own skew for its first cylinder only, and none for cylinder 0 or
// for a first cylinder that is another zone's.
bool disksim_forgets_skew(const std::vector<G2Zone>& zones, const ZoneOfCylinder& zone_of,
                          const MapFile& map) {
  return std::any_of(zones.begin(), zones.end(), [&](const G2Zone& zone) {
    const std::int64_t last = std::min(zone.last_cylinder, map.cylinders - 1);
    return zone.skew_rev != 0 &&
           (zone.first_cylinder == 0 ||
            (zone.first_cylinder < last && zone_of.find(zone.first_cylinder) == &zone));
  });
}

model::LayoutNode track_node(const TrackName& track, std::int64_t sectors, double angle_rev) {
  model::LayoutNode node;
  node.cylinder = static_cast<std::int32_t>(track.first);
  node.head = static_cast<std::int32_t>(track.second);
  node.sectors = static_cast<std::uint32_t>(sectors);
  node.angle_rev = fraction(angle_rev);
  return node;
}

// The tracks of one zone that follow one another in the order of blocks, from `at` on.
std::vector<model::LayoutNode> tracks_of_zone(const std::vector<TrackName>& tracks,
                                              const ZoneOfCylinder& zone_of, const G2Zone& zone,
                                              std::size_t& at) {
  std::vector<model::LayoutNode> nodes;
  std::int64_t head_switches = 0, cylinder_switches = 0;
  for (const std::size_t first = at; at < tracks.size(); ++at) {
    const TrackName& track = tracks[at];
    if (zone_of.find(track.first) != &zone) break;
    if (at > first) ++(track.first != tracks[at - 1].first ? cylinder_switches : head_switches);
    nodes.push_back(
        track_node(track, zone.sectors,
                   zone.skew_rev + static_cast<double>(head_switches) * zone.track_skew_rev +
                       static_cast<double>(cylinder_switches) * zone.cylinder_skew_rev));
  }
  return nodes;
}

model::LayoutNode zone_node(std::vector<model::LayoutNode> nodes) {
  if (nodes.size() == 1) return nodes[0];
  model::LayoutNode zone;
  zone.children = std::move(nodes);
  return zone;
}

}  // namespace

G2Layout import_g2_layout(const Block& block, std::int64_t block_count,
                          const std::string& top_folder, std::vector<std::string>& notes) {
  BlockReader reader(block);
  const std::vector<G2Zone> zones = read_zones(reader, notes);
  MapFile map = read_map(find_named_file(reader, "Layout Map File", "the layout map", top_folder));
  note_unknown(reader, notes);
  const ZoneOfCylinder zone_of(zones);
  note_contradictions(zones, zone_of, map, notes);
  const std::vector<TrackName> tracks = tracks_in_order(map.extents);

  G2Layout result;
  result.cylinders = static_cast<std::uint32_t>(map.cylinders);
  result.heads = static_cast<std::uint32_t>(map.heads);
  result.layout.method = "imported";
  std::map<TrackName, std::int64_t> first_slots;
  std::int64_t slots = 0;
  for (std::size_t at = 0; at < tracks.size();) {
    const std::size_t first = at;
    const G2Zone& zone = zone_of.at(tracks[at].first, map.where(3));
    result.layout.zones.push_back(
        zone_node(fold_tracks(tracks_of_zone(tracks, zone_of, zone, at))));
    for (std::size_t i = first; i < at; ++i, slots += zone.sectors) first_slots[tracks[i]] = slots;
  }

  const std::int64_t mapped = map.extents.back().lbn + map.extents.back().length;
  if (block_count > mapped) {
    notes.push_back(fmt::format("Block count = {}, but the layout map has {} blocks only",
                                block_count, mapped));
  }
  if (block_count > 0 && block_count < mapped) {
    notes.push_back(
        fmt::format("Block count = {}, but the layout map has {} blocks: the last {} are left out",
                    block_count, mapped, mapped - block_count));
  }
  const std::int64_t end = block_count > 0 ? std::min(block_count, mapped) : mapped;
  std::vector<Placed> pieces;
  for (const Extent& extent : map.extents) {
    if (extent.lbn >= end) break;
    if (extent.sector + extent.length >
        zone_of.at(extent.cylinder, map.where(extent.line)).sectors) {
      fail_at(map.where(extent.line), "the blocks do not fit on their track");
    }
    pieces.push_back({extent.lbn, first_slots.at({extent.cylinder, extent.head}) + extent.sector,
                      std::min(extent.length, end - extent.lbn)});
  }
  place_blocks(pieces, slots, block.where, result.layout);
  if (disksim_forgets_skew(zones, zone_of, map)) {
    notes.push_back(
        "Zone Skew holds for the whole zone, as documented; DiskSim's own code knows it on the "
        "first cylinder of zones behind the first only");
  }
  return result;
}

}  // namespace platter::emit_disksim

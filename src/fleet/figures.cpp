#include "fleet/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "model/interruption.h"
#include "model/parameters.h"
#include "model/seek_curve.h"
#include "model/units.h"

namespace platter::fleet {
namespace {

constexpr double kClock_ms = 0.001, kLongestRead_blocks = 256, kRpm = 1;

std::uint32_t longest_track(const std::vector<model::LayoutNode>& nodes) {
  std::uint32_t longest = 0;
  for (const model::LayoutNode& node : nodes)
    longest = std::max({longest, node.sectors, longest_track(node.children)});
  return longest;
}

// docs/methods/README.md: seeks, switches and settles, and the overheads of misses.
bool by_mtbrc(std::string_view path) {
  constexpr std::array kPaths = {"seek[",       "outward_seek[", "write_seek[",
                                 "head_switch", "write_settle",  "inward_seek_delta"};
  return path.find("_miss_") != path.npos ||
         std::ranges::any_of(kPaths, [&](const char* begin) { return path.starts_with(begin); });
}

// Of one surface.
struct Surface {
  std::vector<std::uint32_t> longest = std::vector<std::uint32_t>(kRings);
  std::uint64_t tracks = 0, sectors = 0;
};

struct Walk {
  std::uint64_t cylinders;
  std::map<std::int64_t, Surface> surfaces = {};

  void track(std::int64_t cylinder, std::int64_t head, std::uint32_t sectors) {
    Surface& surface = surfaces[head];
    ++surface.tracks, surface.sectors += sectors;
    const std::uint64_t at = std::clamp<std::int64_t>(cylinder, 0,
                                                      static_cast<std::int64_t>(cylinders) - 1);
    std::uint32_t& longest = surface.longest[at * kRings / cylinders];
    longest = std::max(longest, sectors);
  }
  void node(const model::LayoutNode& node, std::int64_t cylinder, std::int64_t head) {
    cylinder += node.cylinder, head += node.head;
    const auto each = [&](auto act) {
      for (std::int64_t i = 0; i < node.count; ++i)
        act(cylinder + i * node.cylinder_step, head + i * node.head_step);
    };
    if (node.sectors > 0)
      each([&](auto there, auto surface) { track(there, surface, node.sectors); });
    // All repeats of a child, then of the next one: mostly of one surface.
    for (const model::LayoutNode& child : node.children)
      each([&](auto there, auto surface) { this->node(child, there, surface); });
  }
};

std::uint64_t middle(std::vector<std::uint64_t> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

using Drives = std::span<const Drive* const>;
using Value = Figure::Value;

// What a run knows of its own success, not of its drive.
const std::set<std::string> kNotOfTheDrive = {"cache.unexplained_share"};

// Of a figure without an error that it is not to be taken for more than it tells.
Value resolved(Value value, double resolution) {
  if (value.value && !value.error.value_or(0)) value.resolution = resolution;
  return value;
}

Figure figure(Drives drives, Figure head,
              const std::function<Value(const model::DriveModel&)>& of) {
  for (const Drive* drive : drives) head.values.push_back(of(drive->model));
  return head;
}

Value whole(double number) { return {.value = number}; }

bool has_map(const model::DriveModel& model) { return !model.layout.zones.empty(); }

void append_identity(Drives drives, std::vector<Figure>& figures) {
  figures.push_back(
      figure(drives, {.path = "identity.blocks", .unit = "blocks"},
             [](const auto& m) { return whole(static_cast<double>(m.identity.blocks)); }));
  figures.push_back(figure(drives, {.path = "identity.heads", .unit = ""}, [](const auto& m) {
    const bool guessed = !m.layout.heads.reason.empty();
    return m.identity.heads == 0 || guessed ? Value{} : whole(m.identity.heads);
  }));
}

Value seek_over(const model::DriveModel& model, std::uint32_t distance) {
  if (model.seek.points.empty()) return {};
  const model::Seek seek = model::mean_seek(model);
  return resolved({model::seek_time_ms(seek, distance), model::seek_error_ms(seek, distance)},
                  Resolution(model).of("seek[", "ms"));
}

// At distances that every drive's curve reaches.
void append_seeks(Drives drives, std::vector<Figure>& figures) {
  std::uint32_t reach = std::numeric_limits<std::uint32_t>::max();
  for (const Drive* drive : drives)
    if (const auto& points = drive->model.seek.points; !points.empty())
      reach = std::min(reach, points.back().cylinders);
  std::set<std::uint32_t> distances;
  if (reach != std::numeric_limits<std::uint32_t>::max())
    distances = {1, std::max(reach / 10, 1U), std::max(reach / 3, 1U), reach};
  for (const std::uint32_t distance : distances)
    figures.push_back(figure(drives,
                             {.path = fmt::format("seek[{}]", distance),
                              .unit = "ms",
                              .above = "long seeks",
                              .below = "short seeks"},
                             [&](const model::DriveModel& m) { return seek_over(m, distance); }));
}

std::pair<std::string, std::string> words_of(const std::string& path) {
  if (path == "head_switch") return {"slow head", "quick head"};
  if (path == "write_settle") return {"slow settle of writes", "quick settle of writes"};
  if (path == "rotation.period") return {"slow spindle", "quick spindle"};
  if (path.starts_with("overheads.")) return {"longer overhead", "shorter overhead"};
  return {};
}

void append_parameters(Drives drives, std::vector<Figure>& figures) {
  std::vector<std::vector<model::NamedParameter>> lists;
  std::vector<Resolution> resolutions;
  for (const Drive* drive : drives) {
    lists.push_back(model::parameters_of(drive->model));
    resolutions.emplace_back(drive->model);
  }
  const std::size_t common =
      std::ranges::min(lists, {}, [](const auto& list) { return list.size(); }).size();
  for (std::size_t i = 0; i < common; ++i) {
    const std::string& path = lists.front()[i].path;
    if (kNotOfTheDrive.contains(path)) continue;
    Figure figure{.path = path};
    std::tie(figure.above, figure.below) = words_of(path);
    for (std::size_t drive = 0; drive < lists.size(); ++drive) {
      const model::Parameter& parameter = lists[drive][i].parameter;
      if (figure.unit.empty()) figure.unit = parameter.unit;
      figure.values.push_back(resolved({parameter.value, parameter.error},
                                       resolutions[drive].of(path, parameter.unit)));
    }
    figures.push_back(std::move(figure));
  }
}

void append_media(Drives drives, std::vector<Figure>& figures) {
  std::uint32_t cylinders = 0;
  for (const Drive* drive : drives)
    cylinders = std::max(cylinders, drive->model.identity.cylinders);
  std::vector<MediaProfile> profiles;
  Figure surface{.path = "layout: slowest surface", .unit = "of the mean", .below = "slow head"};
  surface.side = statistics::Side::below;
  for (const Drive* drive : drives) {
    stop_if_asked();
    if (!has_map(drive->model)) {
      surface.values.emplace_back();
      continue;
    }
    profiles.push_back(media_profile(drive->model.layout, cylinders));
    surface.values.push_back(resolved({.value = profiles.back().slowest_surface},
                                      Resolution(drive->model).of_sectors()));
  }
  const std::vector<double> otherwise = shares_formatted_otherwise(profiles);
  Figure zones{.path = kZones,
               .unit = "of the stroke",
               .above = "zones that differ",
               .side = statistics::Side::above};
  std::size_t mapped = 0;
  for (const Drive* drive : drives)
    zones.values.push_back(
        has_map(drive->model) ? resolved(whole(otherwise[mapped++]), 1.0 / kRings) : Value{});
  figures.push_back(std::move(surface));
  figures.push_back(std::move(zones));
}

void append_defects(Drives drives, std::vector<Figure>& figures) {
  const auto count = [&](const char* path, const char* unit, auto of) {
    figures.push_back(figure(drives,
                             {.path = path,
                              .unit = unit,
                              .above = "grown defects",
                              .side = statistics::Side::above,
                              .counted = true},
                             [&](const model::DriveModel& m) {
                               return has_map(m) ? whole(static_cast<double>(of(m.layout)))
                                                 : Value{};
                             }));
  };
  count("layout.remaps", "blocks", [](const model::Layout& l) { return l.remaps.size(); });
  count("layout.skips", "sectors", [](const model::Layout& l) {
    std::uint64_t sectors = 0;
    for (const model::Skip& skip : l.skips) sectors += skip.length * skip.count;
    return sectors;
  });
}

}  // namespace

Resolution::Resolution(const model::DriveModel& model)
    : longest_track_(longest_track(model.layout.zones)),
      revolution_ns_(model.rotation.numerator_ns == 0 ? 0 : model::revolution_ns(model.rotation)) {}

double Resolution::of(std::string_view path, std::string_view unit) const {
  if (path == "rotation.period") {
    constexpr double kMinute_ns = 60e9;
    return revolution_ns_ * revolution_ns_ * kRpm / kMinute_ns;
  }
  if (unit != "ms") return 0;
  if (path.starts_with("bus.")) return kClock_ms / kLongestRead_blocks;
  if (!by_mtbrc(path) || longest_track_ == 0) return kClock_ms;
  return std::max(kClock_ms, revolution_ns_ / longest_track_ / kMillisecond);
}

MediaProfile media_profile(const model::Layout& layout, std::uint32_t cylinders) {
  Walk walk{std::max<std::uint32_t>(cylinders, 1)};
  for (const model::LayoutNode& zone : layout.zones) walk.node(zone, 0, 0);
  MediaProfile profile;
  profile.sectors.resize(kRings);
  double sectors = 0, tracks = 0, fewest = std::numeric_limits<double>::max();
  for (const auto& [head, surface] : walk.surfaces) {
    for (std::size_t i = 0; i < kRings; ++i) profile.sectors[i] += surface.longest[i];
    sectors += static_cast<double>(surface.sectors), tracks += static_cast<double>(surface.tracks);
    fewest = std::min(fewest,
                      static_cast<double>(surface.sectors) / static_cast<double>(surface.tracks));
  }
  if (walk.surfaces.size() > 1) profile.slowest_surface = fewest / (sectors / tracks);
  return profile;
}

std::vector<double> shares_formatted_otherwise(std::span<const MediaProfile> profiles) {
  std::vector<double> shares(profiles.size());
  if (profiles.empty()) return shares;
  for (std::size_t ring = 0; ring < kRings; ++ring) {
    std::vector<std::uint64_t> there;
    for (const MediaProfile& profile : profiles) there.push_back(profile.sectors[ring]);
    const std::uint64_t usual = middle(there);
    for (std::size_t i = 0; i < profiles.size(); ++i)
      if (there[i] != usual) shares[i] += 1.0 / kRings;
  }
  return shares;
}

std::vector<Figure> figures_of(Drives drives) {
  std::vector<Figure> figures;
  if (drives.empty()) return figures;
  append_identity(drives, figures);
  append_seeks(drives, figures);
  append_parameters(drives, figures);
  append_media(drives, figures);
  append_defects(drives, figures);
  std::erase_if(figures, [](const Figure& figure) {
    return std::ranges::none_of(figure.values, [](const Value& v) { return v.value.has_value(); });
  });
  return figures;
}

statistics::Estimate comparable(const Figure& figure, const Figure::Value& value) {
  if (figure.counted) return {2 * std::sqrt(*value.value + 0.375), 1, 1};
  return {*value.value, value.error.value_or(0), 1};
}

}  // namespace platter::fleet

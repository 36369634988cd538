#include "fleet/resolution.h"

#include <algorithm>
#include <array>
#include <vector>

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

}  // namespace platter::fleet

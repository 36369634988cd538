#include "engine/seek_table.h"

#include <cmath>
#include <utility>

#include "model/error.h"

namespace platter::engine {
namespace {

constexpr Nanoseconds kLongestSeek = 60 * kSecond;
constexpr std::uint64_t kFarthestSeek = std::uint64_t{1} << 32;
constexpr std::size_t kSeekDensity = 1;

struct SeekArrays {
  std::vector<std::uint64_t> distances;  // padded
  std::vector<FlatSeekLine> lines;
  std::vector<std::uint32_t> buckets;
  std::uint32_t shift = 0;
};

void add_points(const model::Seek& seek, SeekArrays& arrays) {
  for (const auto& point : seek.points) {
    if (!std::isfinite(point.time_ms) || point.time_ms < 0 || point.time_ms > 60'000)
      throw Error(ExitStatus::bad_input,
                  "the model's seek curve has a time that is none; correct the model file");
    if (point.cylinders == 0 ||
        (!arrays.distances.empty() && point.cylinders <= arrays.distances.back()))
      throw Error(ExitStatus::bad_input,
                  "the model's seek curve does not ascend by distance; correct the model file");
    arrays.distances.push_back(point.cylinders);
    arrays.lines.push_back({from_ms(point.time_ms), 0});
  }
  if (arrays.lines.empty())
    throw Error(ExitStatus::bad_input,
                "the model has no seek curve; measure or import one before it can run");
  if (arrays.lines.size() == 1) {  // a curve of one point is flat
    arrays.distances.push_back(arrays.distances[0] + 1);
    arrays.lines.push_back(arrays.lines[0]);
  }
}

std::int64_t slope_between(std::uint64_t from, std::uint64_t to, Nanoseconds rise) {
  const auto run = static_cast<std::int64_t>(to - from);
  const std::int64_t scaled = rise << SeekTable::kSlopeBits;
  return (scaled + (scaled < 0 ? -run : run) / 2) / run;
}

// Of the line that begins at point i; the last point's goes on as the line before it.
std::int64_t slope_at(std::span<const std::uint64_t> distances, std::span<const FlatSeekLine> lines,
                      std::size_t i) {
  const std::size_t from = std::min(i, lines.size() - 2);
  return slope_between(distances[from], distances[from + 1],
                       lines[from + 1].time_ns - lines[from].time_ns);
}

}  // namespace

SeekTable::SeekTable(const model::Seek& seek) {
  auto arrays = std::make_shared<SeekArrays>();
  add_points(seek, *arrays);
  for (std::size_t i = 0; i < arrays->lines.size(); ++i)
    arrays->lines[i].slope = slope_at(arrays->distances, arrays->lines, i);
  const std::uint64_t last = arrays->distances.back();
  arrays->shift = bucket_shift(last, arrays->distances.size(), kSeekDensity);
  arrays->buckets = build_buckets(arrays->distances, arrays->shift, last);
  pad(arrays->distances);
  distances_ = {arrays->distances, arrays->buckets, arrays->shift};
  lines_ = arrays->lines;
  owner_ = std::move(arrays);
}

SeekTable::SeekTable(const KeyIndex& distances, std::span<const FlatSeekLine> lines,
                     std::shared_ptr<const void> owner)
    : distances_(distances), lines_(lines), owner_(std::move(owner)) {}

std::optional<std::string> seek_defect(const TablesView& t) {
  if (t.seek_lines.size() < 2) return "has less than two points";
  if (!is_ascending(t.seek_distances) || t.seek_distances[0] == 0 ||
      t.seek_distances.size() != t.seek_lines.size() + kKeyPadding)
    return "does not ascend by distance";
  const auto distances = t.seek_distances.first(t.seek_lines.size());
  if (distances.back() > kFarthestSeek) return "does not ascend by distance";
  for (const FlatSeekLine& line : t.seek_lines)
    if (line.time_ns < 0 || line.time_ns > kLongestSeek) return "has a time that is none";
  for (std::size_t i = 0; i < t.seek_lines.size(); ++i)
    if (t.seek_lines[i].slope != slope_at(distances, t.seek_lines, i))
      return "has a slope that does not lead to its next point";
  const double beyond =
      std::ldexp(static_cast<double>(t.seek_lines.back().slope), -SeekTable::kSlopeBits) *
      t.layout.totals.cylinders;
  if (std::abs(beyond) > 100.0 * static_cast<double>(kLongestSeek))
    return "is too steep past its end";
  const std::uint64_t last = distances.back();
  if (t.motion.seek_shift != bucket_shift(last, distances.size(), kSeekDensity) ||
      !std::ranges::equal(t.seek_buckets, build_buckets(distances, t.motion.seek_shift, last)))
    return "has an index that leads astray";
  return std::nullopt;
}

}  // namespace platter::engine

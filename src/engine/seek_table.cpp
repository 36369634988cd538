#include "engine/seek_table.h"

#include <cmath>
#include <set>
#include <utility>

#include "model/error.h"
#include "model/seek_curve.h"

namespace platter::engine {
namespace {

constexpr Nanoseconds kLongestSeek = 60 * kSecond;
constexpr std::uint64_t kFarthestSeek = std::uint64_t{1} << 32;
constexpr std::size_t kSeekDensity = 1;

constexpr std::size_t kKinds = 4;  // of reads inward and outward, of writes inward and outward

struct SeekArrays {
  std::vector<std::uint64_t> distances;  // padded
  std::vector<FlatSeekLine> lines;
  std::vector<std::uint32_t> buckets;
};

void check_points(const model::Seek& seek) {
  std::uint32_t before = 0;
  for (const auto& point : seek.points) {
    if (!std::isfinite(point.time_ms) || point.time_ms < 0 || point.time_ms > 60'000)
      throw Error(ExitStatus::bad_input,
                  "the model's seek curve has a time that is none; correct the model file");
    if (point.cylinders <= before)
      throw Error(ExitStatus::bad_input,
                  "the model's seek curve does not ascend by distance; correct the model file");
    before = point.cylinders;
  }
  if (seek.points.empty())
    throw Error(ExitStatus::bad_input,
                "the model has no seek curve; measure or import one before it can run");
}

// The model's curves at the distances of all of them.
std::vector<model::Seek> curves_of(const model::DriveModel& model) {
  check_points(model.seek);
  if (!model.outward_seek && !model.write_seek) return {model.seek};
  const model::Seek outward = model::outward_seek(model), write = model::write_seek(model);
  std::set<std::uint32_t> distances;
  for (const model::Seek* seek : {&model.seek, &outward, &write}) {
    check_points(*seek);
    for (const auto& point : seek->points) distances.insert(point.cylinders);
  }
  std::vector<model::Seek> curves(kKinds);
  for (const std::uint32_t distance : distances) {
    const auto add = [&](bool outwards, bool writes, double time_ms) {
      curves[SeekTable::curve(outwards, writes)].points.push_back(
          {distance, std::max(0.0, time_ms), std::nullopt, 0});
    };
    const double in = model::seek_time_ms(model.seek, distance);
    const double out = model::seek_time_ms(outward, distance);
    const double writing = model::seek_time_ms(write, distance);
    add(false, false, in);
    add(true, false, out);
    add(false, true, writing);
    add(true, true, writing + out - in);
  }
  return curves;
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

SeekTable::SeekTable(const model::Seek& seek) : SeekTable(std::span(&seek, 1)) {}

SeekTable::SeekTable(const model::DriveModel& model)
    : SeekTable(std::span<const model::Seek>(curves_of(model))) {}

SeekTable::SeekTable(std::span<const model::Seek> curves)
    : curves_(static_cast<std::uint32_t>(curves.size())) {
  auto arrays = std::make_shared<SeekArrays>();
  for (const auto& point : curves[0].points) arrays->distances.push_back(point.cylinders);
  const bool flat = curves[0].points.size() == 1;  // a curve of one point
  if (flat) arrays->distances.push_back(arrays->distances[0] + 1);
  points_ = arrays->distances.size();
  for (const model::Seek& seek : curves) {
    check_points(seek);
    const std::size_t first = arrays->lines.size();
    for (const auto& point : seek.points) arrays->lines.push_back({from_ms(point.time_ms), 0});
    if (flat) arrays->lines.push_back(arrays->lines.back());
    const std::span mine = std::span(arrays->lines).subspan(first);
    for (std::size_t i = 0; i < points_; ++i) mine[i].slope = slope_at(arrays->distances, mine, i);
  }
  const std::uint64_t last = arrays->distances.back();
  const std::uint32_t shift = bucket_shift(last, points_, kSeekDensity);
  arrays->buckets = build_buckets(arrays->distances, shift, last);
  pad(arrays->distances);
  distances_ = {arrays->distances, arrays->buckets, shift};
  lines_ = arrays->lines;
  owner_ = std::move(arrays);
}

SeekTable::SeekTable(const KeyIndex& distances, std::span<const FlatSeekLine> lines,
                     std::uint32_t curves, std::shared_ptr<const void> owner)
    : distances_(distances),
      lines_(lines),
      points_(lines.size() / curves),
      curves_(curves),
      owner_(std::move(owner)) {}

std::optional<std::string> seek_defect(const TablesView& t) {
  const std::uint32_t curves = t.motion.seek_curves;
  if ((curves != 1 && curves != kKinds) || t.seek_lines.size() % curves != 0)
    return "is neither one nor four";
  const std::size_t points = t.seek_lines.size() / curves;
  if (points < 2) return "has less than two points";
  if (!is_ascending(t.seek_distances) || t.seek_distances[0] == 0 ||
      t.seek_distances.size() != points + kKeyPadding)
    return "does not ascend by distance";
  const auto distances = t.seek_distances.first(points);
  if (distances.back() > kFarthestSeek) return "does not ascend by distance";
  for (const FlatSeekLine& line : t.seek_lines)
    if (line.time_ns < 0 || line.time_ns > kLongestSeek) return "has a time that is none";
  for (std::uint32_t curve = 0; curve < curves; ++curve) {
    const auto lines = t.seek_lines.subspan(curve * points, points);
    for (std::size_t i = 0; i < points; ++i)
      if (lines[i].slope != slope_at(distances, lines, i))
        return "has a slope that does not lead to its next point";
    const double beyond = std::ldexp(static_cast<double>(lines.back().slope),
                                     -SeekTable::kSlopeBits) *
                          t.layout.totals.cylinders;
    if (std::abs(beyond) > 100.0 * static_cast<double>(kLongestSeek))
      return "is too steep past its end";
  }
  const std::uint64_t last = distances.back();
  if (t.motion.seek_shift != bucket_shift(last, distances.size(), kSeekDensity) ||
      !std::ranges::equal(t.seek_buckets, build_buckets(distances, t.motion.seek_shift, last)))
    return "has an index that leads astray";
  return std::nullopt;
}

}  // namespace platter::engine

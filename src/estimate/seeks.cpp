#include "estimate/seeks.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace platter::estimate {
namespace {

// The moves of one direction, or of both where they are alike.
model::Seek curve_of(const ReadTimes& reads, bool outward) {
  model::Seek seek;
  const SeekTimes none;
  const SeekTimes& commands = reads.constant ? reads.commands : none;
  seek.method = reads.constant ? "SEEK commands, less the constant by which they exceed MTBRCs"
                               : "MTBRC of two reads, less MTBRC on one track";
  const auto of = [](const SeekTimes& times, std::int64_t move) {
    const auto found = times.find(move);
    return found == times.end() ? std::nullopt : std::optional(found->second);
  };
  std::set<std::uint32_t> distances;
  for (const SeekTimes* times : {&reads.mtbrcs, &commands})
    for (const auto& [move, time] : *times)
      if (outward ? move < 0 : move > 0)
        distances.insert(static_cast<std::uint32_t>(std::abs(move)));
  for (const std::uint32_t distance : distances) {
    const std::int64_t way = outward ? -std::int64_t{distance} : std::int64_t{distance};
    const statistics::Estimate move = reads.move(of(reads.mtbrcs, way), of(commands, way));
    model::SeekPoint point;
    point.cylinders = distance;
    point.time_ms = move.value * 1e-6;
    point.error_ms = move.error * 1e-6;
    point.samples = move.samples;
    if (point.time_ms < 0) {  // which no curve may hold
      seek.method += fmt::format(
          "; {} cylinders left out, for they came out as {:.4f} +- {:.4f} ms", distance,
          point.time_ms, *point.error_ms);
      continue;
    }
    seek.points.push_back(point);
  }
  if (seek.points.empty()) seek.reason = "no seek could be timed";
  return seek;
}

}  // namespace

Seeks estimate_seeks(const ReadTimes& reads) {
  Seeks result;
  if (!reads.still) {
    result.seek.method = "MTBRC of two reads, less MTBRC on one track";
    result.seek.reason = reads.same_track.reason;
    return result;
  }
  result.seek = curve_of(reads, false);
  if (!reads.apart) return result;
  result.outward = curve_of(reads, true);
  if (result.outward->points.empty()) result.outward.reset();
  return result;
}

}  // namespace platter::estimate

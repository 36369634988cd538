#include "estimate/write_seeks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "model/interruption.h"
#include "model/seek_curve.h"
#include "statistics/alike.h"

namespace platter::estimate {
namespace {

constexpr std::size_t kFewestTold = 15;  // distances that must agree before the settle counts for
                                         // all
constexpr std::size_t kFewestOfCurve = 6;

// In the order of their distances, each with its own error.
std::vector<DistantSettle> settles_of(const Evidence& evidence, const ReadTimes& reads,
                                      const model::DriveModel& model, double still) {
  std::map<std::int64_t, std::vector<statistics::CensoredTrial>> trials;
  for (const auto& [access, told] : evidence.trials(Experiment::seek, true))
    if (!access->after_write && access->blocks == evidence.write_unit())
      trials[model.outward_seek ? access->group : std::abs(access->group)].push_back(told);
  constexpr double kTooWide_rev = 0.05;
  std::map<std::uint32_t, std::vector<statistics::Estimate>> found;
  for (const auto& [move, mine] : trials) {
    stop_if_asked();
    const auto write = statistics::fit_threshold(mine, reads.trial);
    if (!write || write->error > kTooWide_rev * evidence.period_ns()) continue;
    const statistics::Estimate seek = read_seek(model, move);
    found[static_cast<std::uint32_t>(std::abs(move))].push_back(
        {write->value * 1e-6 - still - seek.value, std::hypot(write->error * 1e-6, seek.error),
         write->samples});
  }
  std::vector<DistantSettle> settles;
  for (const auto& [distance, ways] : found) {
    const statistics::Estimate mean = statistics::weighted_mean(ways);
    settles.push_back({distance, mean.value, mean.error, mean.samples});
  }
  return settles;
}

// Between the measured distances linear; beyond them as at the nearest, and the less sure the
// farther, by how much it changed before.
statistics::Estimate settle_at(const std::vector<DistantSettle>& settles, std::uint32_t distance) {
  const auto right = std::ranges::lower_bound(settles, distance, {}, &DistantSettle::cylinders);
  if (right == settles.begin()) return {right->time_ms, right->error_ms, 1};
  const DistantSettle& left = *std::prev(right);
  if (right == settles.end()) {
    const DistantSettle& before = settles.size() > 1 ? settles[settles.size() - 2] : left;
    const double trend = settles.size() > 1
                             ? (left.time_ms - before.time_ms) /
                                   (static_cast<double>(left.cylinders) - before.cylinders)
                             : 0;
    return {left.time_ms,
            std::hypot(left.error_ms, trend * (static_cast<double>(distance) - left.cylinders)), 1};
  }
  const double share = (static_cast<double>(distance) - left.cylinders) /
                       (static_cast<double>(right->cylinders) - left.cylinders);
  return {left.time_ms + share * (right->time_ms - left.time_ms),
          std::hypot((1 - share) * left.error_ms, share * right->error_ms), 1};
}

model::Seek curve_of(const WriteSeeks& found, const model::DriveModel& model) {
  model::Seek curve;
  curve.method = fmt::format(
      "the read seek and the settle of writes after each of {} distances, by MTBRC; beyond {} "
      "cylinders the settle there",
      found.settles.size(), found.settles.back().cylinders);
  for (const model::SeekPoint& point : model.seek.points) {
    const statistics::Estimate settle = settle_at(found.settles, point.cylinders);
    curve.points.push_back(
        {point.cylinders, std::max(0.0, point.time_ms + settle.value),
         std::hypot(point.error_ms.value_or(0), settle.error, found.shared_error_ms),
         point.samples});
  }
  return curve;
}

std::vector<statistics::Estimate> estimates_of(const std::vector<DistantSettle>& settles) {
  std::vector<statistics::Estimate> estimates;
  for (const DistantSettle& s : settles) estimates.push_back({s.time_ms, s.error_ms, s.samples});
  return estimates;
}

double middle_ms(const std::vector<DistantSettle>& settles) {
  std::vector<double> times;
  for (const DistantSettle& s : settles) times.push_back(s.time_ms);
  return statistics::median(times);
}

}  // namespace

statistics::Estimate read_seek(const model::DriveModel& model, std::int64_t move) {
  const bool outward = move < 0 && model.outward_seek;
  const model::Seek& seek = outward ? *model.outward_seek : model.seek;
  const auto distance = static_cast<double>(std::abs(move));
  return {model::seek_time_ms(seek, distance), model::seek_error_ms(seek, distance).value_or(0), 1};
}

std::optional<statistics::Estimate> estimate_still_write(const SameTrack& same_track,
                                                         const std::optional<WriteSupply>& supply,
                                                         const model::Parameter& write_data) {
  if (supply && supply->least)
    return statistics::Estimate{supply->begins.value * 1e-6, supply->begins.error * 1e-6, 1};
  const model::Parameter same = same_track.of(true, false);
  if (!same) return std::nullopt;
  statistics::Estimate still{*same.value, same.error.value_or(0), 1};
  if (write_data) {
    still.value -= *write_data.value;
    still.error = std::hypot(still.error, write_data.error.value_or(0));
  }
  return still;
}

bool settles_apart(const WriteSeeks& found, const model::DriveModel& model, double sigmas) {
  const std::vector<statistics::Estimate> settles = estimates_of(found.settles);
  const statistics::Estimate mean = statistics::weighted_mean(settles);
  constexpr double kTolerance_ms = 0.008;
  const double unsure = std::hypot(mean.error, found.shared_error_ms,
                                   model.write_settle.error.value_or(0));
  return statistics::differ_from(settles, mean.value, sigmas) ||
         std::abs(mean.value - *model.write_settle.value) > kTolerance_ms + sigmas * unsure;
}

std::vector<std::uint32_t> strangers(const std::vector<DistantSettle>& settles) {
  constexpr double kSigmas = 3;
  const double middle = middle_ms(settles);
  std::vector<std::uint32_t> distances;
  for (const DistantSettle& s : settles)
    if (std::abs(s.time_ms - middle) > kSigmas * s.error_ms) distances.push_back(s.cylinders);
  return distances;
}

namespace {

// Takes out the one settle but for which all others are alike, if there is such: a move that ends
// on tracks whose angles are not what the map says, as it may have them wrong near an edge.
bool without_stranger(WriteSeeks& found, const model::DriveModel& model) {
  constexpr std::size_t kMany = 7;
  if (found.settles.size() < kMany) return false;
  const double middle = middle_ms(found.settles);
  const auto farthest = std::ranges::max_element(
      found.settles, {},
      [middle](const DistantSettle& s) { return std::abs(s.time_ms - middle) / s.error_ms; });
  if (std::abs(farthest->time_ms - middle) <= statistics::kBeyondDoubt * farthest->error_ms)
    return false;
  WriteSeeks others = found;
  others.stranger = *farthest;
  others.settles.erase(others.settles.begin() + (farthest - found.settles.begin()));
  if (settles_apart(others, model, statistics::kBeyondDoubt)) return false;
  found = std::move(others);
  return true;
}

}  // namespace

WriteSeeks estimate_write_seeks(const Evidence& evidence, const SameTrack& same_track,
                                const ReadTimes& reads, const std::optional<WriteSupply>& supply,
                                const model::Parameter& write_data) {
  WriteSeeks result;
  const auto still = estimate_still_write(same_track, supply, write_data);
  if (!still || evidence.stated() == nullptr || !evidence.stated()->write_settle ||
      evidence.stated()->seek.points.empty()) {
    result.note = "whether writes settle equally long after every seek is not known";
    return result;
  }
  const model::DriveModel& model = *evidence.stated();
  result.settles = settles_of(evidence, reads, model, still->value);
  result.shared_error_ms = still->error;
  if (result.settles.size() <
      std::min<std::size_t>(kFewestOfCurve, model.seek.points.back().cylinders)) {
    result.note = result.settles.empty() ? "no write after a seek could be timed: whether all "
                                           "writes settle for write_settle is not known"
                                         : fmt::format(
                                               "writes after seeks could be timed over too few "
                                               "distances ({}): whether all writes "
                                               "settle for write_settle is not known",
                                               result.settles.size());
    return result;
  }
  result.tied = without_stranger(result, model) ||
                !settles_apart(result, model, statistics::kBeyondDoubt);
  const std::uint32_t nearest = result.settles.front().cylinders,
                      farthest = result.settles.back().cylinders;
  if (result.tied) {
    const statistics::Estimate mean = statistics::weighted_mean(estimates_of(result.settles));
    result.note = fmt::format(
        "writes after seeks over {} distances ({} to {} cylinders) settle for {:.4f} +- {:.4f} ms, "
        "write_settle is {:.4f} +- {:.4f} ms: no difference was found{}{}",
        result.settles.size(), nearest, farthest, mean.value,
        std::hypot(mean.error, result.shared_error_ms), *model.write_settle.value,
        model.write_settle.error.value_or(0),
        result.settles.size() <
                std::min<std::size_t>(kFewestTold, model.seek.points.back().cylinders)
            ? fmt::format("; {} distances are needed to be sure", kFewestTold)
            : "",
        result.stranger
            ? fmt::format(
                  "; the settle after {} cylinders came out as {:.4f} +- {:.4f} ms and was left "
                  "out, as the only one: the angles are off where it ended",
                  result.stranger->cylinders, result.stranger->time_ms, result.stranger->error_ms)
            : "");
    return result;
  }
  result.curve = curve_of(result, model);
  const auto [least, most] = std::ranges::minmax(result.settles, {}, &DistantSettle::time_ms);
  result.note = fmt::format(
      "writes settle for {:.3f} to {:.3f} ms after seeks over {} distances ({} to {} cylinders), "
      "which differs from write_settle: write_seek is their curve",
      least.time_ms, most.time_ms, result.settles.size(), nearest, farthest);
  return result;
}

}  // namespace platter::estimate

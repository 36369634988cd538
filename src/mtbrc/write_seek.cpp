#include "mtbrc/write_seek.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/seek_curve.h"
#include "mtbrc/overheads.h"
#include "mtbrc/read_times.h"
#include "mtbrc/seek.h"
#include "mtbrc/trials.h"
#include "mtbrc/writable.h"
#include "mtbrc/write_supply.h"
#include "statistics/alike.h"

namespace platter::mtbrc {
namespace {

constexpr std::size_t kFewestTold = 15;  // distances that must agree before the settle counts for all
constexpr std::size_t kFewestOfCurve = 6;

// From one cylinder to the farthest, each about as many times the one before.
std::vector<std::uint32_t> distances_up_to(std::uint32_t longest, std::uint32_t wanted) {
  std::vector<std::uint32_t> distances;
  for (std::uint32_t i = 0; i < wanted; ++i) {
    const double even = std::pow(longest, static_cast<double>(i) / std::max(wanted - 1, 1U));
    const auto distance = std::max(static_cast<std::uint32_t>(std::round(even)),
                                   distances.empty() ? 1 : distances.back() + 1);
    if (distance > longest) break;
    distances.push_back(distance);
  }
  return distances;
}

// The read seek of a move by the model's curves, ms.
statistics::Estimate read_seek(const model::DriveModel& model, std::int64_t move) {
  const bool outward = move < 0 && model.outward_seek;
  const model::Seek& seek = outward ? *model.outward_seek : model.seek;
  const auto distance = static_cast<double>(std::abs(move));
  return {model::seek_time_ms(seek, distance), model::seek_error_ms(seek, distance).value_or(0), 1};
}

// What a write behind a read on its own track takes beyond its positioning, as write_settle has it.
std::optional<statistics::Estimate> still_ms(const Samples& samples, const engine::LayoutMap& map,
                                             const model::Rotation& rotation) {
  const auto supply = write_supply(samples, map, rotation);
  if (supply && supply->least)
    return statistics::Estimate{supply->begins.value * 1e-6, supply->begins.error * 1e-6, 1};
  const model::Parameter same = estimate_same_track(samples, map, rotation, true, false);
  if (!same) return std::nullopt;
  statistics::Estimate still{*same.value, same.error.value_or(0), 1};
  if (const model::Parameter transfer = estimate_write_transfer(samples, map, rotation)) {
    still.value -= *transfer.value;
    still.error = std::hypot(still.error, transfer.error.value_or(0));
  }
  return still;
}

// Writes that follow a read `distance` cylinders away.
class WriteSeekSurvey {
 public:
  WriteSeekSurvey(Context& context, const std::vector<LbnRange>& permitted,
                  const model::DriveModel& model, const WriteSeekOptions& options)
      : context_(context),
        permitted_(permitted),
        model_(model),
        map_(*context.map),
        trial_(read_times(context.samples, map_, context.rotation).trial),
        still_ms_(still_ms(context.samples, map_, context.rotation).value_or(statistics::Estimate{}).value),
        trials_(context),
        meter_(context, context.limited() ? context.budget : options.budget) {}

  void measure(const std::vector<std::uint32_t>& distances, double error_ms);
  bool exhausted() const { return meter_.exhausted(); }

 private:
  struct Trip {
    engine::Track from, to;
    std::int64_t move = 0;
  };
  std::optional<Trip> trip(std::uint32_t distance);
  std::optional<Trip> trip_to(const engine::Track& to, std::uint32_t distance);
  std::optional<engine::Track> new_track(std::uint32_t distance);
  bool one(std::uint32_t distance);

  Context& context_;
  const std::vector<LbnRange>& permitted_;
  const model::DriveModel& model_;
  const engine::LayoutMap& map_;
  statistics::ThresholdPrior trial_;  // what is known of a trial's spread
  double still_ms_;                   // of a write that moves nothing
  Trials trials_;
  Meter meter_;
  std::vector<engine::Track> tracks_;  // known contents
  std::map<std::int64_t, Threshold> thresholds_;
};

std::optional<WriteSeekSurvey::Trip> WriteSeekSurvey::trip_to(const engine::Track& to,
                                                              std::uint32_t distance) {
  std::int64_t move = distance;
  if (std::bernoulli_distribution(0.5)(context_.random)) move = -move;
  for (int way = 0; way < 2; ++way, move = -move)
    if (const auto from = neighbour(map_, to, -move)) return Trip{*from, to, move};
  return std::nullopt;
}

// A track that may be written, at which one can arrive from so far away.
std::optional<engine::Track> WriteSeekSurvey::new_track(std::uint32_t distance) {
  for (int attempt = 0; attempt < 80; ++attempt) {
    const LbnRange& range = permitted_[static_cast<std::size_t>(attempt) % permitted_.size()];
    if (range.first >= map_.blocks()) continue;
    const std::uint64_t last = std::min(range.last, map_.blocks() - 1);
    // The longest seeks end near the edges.
    std::uint64_t near = last - range.first;
    if (attempt % 4 != 0) near = std::max<std::uint64_t>(near >> (attempt % 16), 1);
    const std::uint64_t off = std::uniform_int_distribution<std::uint64_t>(0, near)(context_.random);
    const std::uint64_t lbn = attempt % 2 == 0 ? range.first + off : last - off;
    const engine::Track track = map_.track_of_slot(map_.slot_of_lbn(lbn));
    if (!trip_to(track, distance) || !is_writable(context_, track)) continue;
    learn_contents(context_, track);
    tracks_.push_back(track);
    return track;
  }
  return std::nullopt;
}

std::optional<WriteSeekSurvey::Trip> WriteSeekSurvey::trip(std::uint32_t distance) {
  constexpr std::size_t kPlaces = 3;  // so that no single track's angle decides
  std::vector<Trip> known;
  for (const engine::Track& track : tracks_)
    if (const auto there = trip_to(track, distance)) known.push_back(*there);
  if (known.size() < kPlaces)
    if (const auto track = new_track(distance)) return trip_to(*track, distance);
  if (known.empty()) return std::nullopt;
  return known[std::uniform_int_distribution<std::size_t>(0, known.size() - 1)(context_.random)];
}

bool WriteSeekSurvey::one(std::uint32_t distance) {
  const auto way = trip(distance);
  if (!way) return false;
  if (!trials_.passages().ready(true) && !trials_.go(way->to, true)) return false;
  if (!trials_.go(way->from)) return false;
  const std::int64_t key = model_.outward_seek ? way->move : std::abs(way->move);
  auto known = thresholds_.find(key);
  if (known == thresholds_.end()) {
    constexpr double kWidth_rev = 0.01;
    statistics::ThresholdPrior prior = trial_;
    prior.guess = 1e6 * (still_ms_ + read_seek(model_, way->move).value + *model_.write_settle.value);
    prior.guess_width = kWidth_rev * context_.period_ns();
    known = thresholds_.emplace(key, Threshold(context_.period_ns(), prior)).first;
  }
  return trials_.trial(Experiment::seek, way->move, way->to, true, known->second);
}

void WriteSeekSurvey::measure(const std::vector<std::uint32_t>& distances, double error_ms) {
  constexpr std::size_t kFewest = 4, kMost = 60;
  constexpr int kFailures = 6;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const auto sharp = [&](std::int64_t move) {
      const auto known = thresholds_.find(move);
      return known != thresholds_.end() && known->second.trials() >= kFewest &&
             (known->second.error_ns() <= 1e6 * error_ms || known->second.trials() >= kMost);
    };
    const std::int64_t inward = distances[i];
    for (int failures = 0; failures < kFailures && !meter_.exhausted() && !sharp(inward) && !sharp(-inward);)
      if (!one(distances[i])) ++failures;
    context_.report("seeks of writes", static_cast<double>(i + 1) / static_cast<double>(distances.size()));
  }
}

// In the order of their distances, each with its own error.
std::vector<DistantSettle> settles_of(const Samples& samples, const engine::LayoutMap& map,
                                      const model::DriveModel& model, double still) {
  std::map<std::int64_t, std::vector<statistics::CensoredTrial>> trials;
  Passages passages(map, model.rotation);
  for (const Sample& s : samples) {
    if (s.experiment == Experiment::hit) continue;
    const auto trial = passages.observe(s);
    if (trial && s.experiment == Experiment::seek && s.write && !s.after_write && s.blocks == 1)
      trials[model.outward_seek ? s.group : std::abs(s.group)].push_back(*trial);
  }
  const statistics::ThresholdPrior prior = read_times(samples, map, model.rotation).trial;
  constexpr double kTooWide_rev = 0.05;
  std::map<std::uint32_t, std::vector<statistics::Estimate>> found;
  for (const auto& [move, mine] : trials) {
    const auto write = statistics::fit_threshold(mine, prior);
    if (!write || write->error > kTooWide_rev * passages.period_ns()) continue;
    const statistics::Estimate seek = read_seek(model, move);
    found[static_cast<std::uint32_t>(std::abs(move))].push_back(
        {write->value * 1e-6 - still - seek.value, std::hypot(write->error * 1e-6, seek.error),
         write->samples});
  }
  std::vector<DistantSettle> settles;
  for (const auto& [distance, ways] : found) {
    const statistics::Estimate mean = statistics::mean_of(ways);
    std::uint64_t count = 0;
    for (const statistics::Estimate& way : ways) count += way.samples;
    settles.push_back({distance, mean.value, mean.error, count});
  }
  return settles;
}

// Between the measured distances linear, beyond them as at the nearest.
statistics::Estimate settle_at(const std::vector<DistantSettle>& settles, std::uint32_t distance) {
  const auto right = std::ranges::lower_bound(settles, distance, {}, &DistantSettle::cylinders);
  if (right == settles.begin()) return {right->time_ms, right->error_ms, 1};
  const DistantSettle& left = *std::prev(right);
  if (right == settles.end()) return {left.time_ms, left.error_ms, 1};
  const double share = (static_cast<double>(distance) - left.cylinders) /
                       (static_cast<double>(right->cylinders) - left.cylinders);
  return {left.time_ms + share * (right->time_ms - left.time_ms),
          std::hypot((1 - share) * left.error_ms, share * right->error_ms), 1};
}

model::Seek curve_of(const WriteSeeks& found, const model::DriveModel& model) {
  model::Seek curve;
  curve.method = fmt::format("the read seeks and the settles of writes behind {} distances, by MTBRC",
                             found.settles.size());
  for (const model::SeekPoint& point : model.seek.points) {
    const statistics::Estimate settle = settle_at(found.settles, point.cylinders);
    curve.points.push_back({point.cylinders, std::max(0.0, point.time_ms + settle.value),
                            std::hypot(point.error_ms.value_or(0), settle.error, found.shared_error_ms),
                            point.samples});
  }
  return curve;
}

}  // namespace

WriteSeeks estimate_write_seeks(const Samples& samples, const engine::LayoutMap& map,
                                const model::DriveModel& model) {
  WriteSeeks result;
  const auto still = still_ms(samples, map, model.rotation);
  if (!still || !model.write_settle || model.seek.points.empty()) {
    result.note = "whether writes settle as long behind every seek is not known";
    return result;
  }
  result.settles = settles_of(samples, map, model, still->value);
  result.shared_error_ms = still->error;
  std::vector<statistics::Estimate> settles;
  for (const DistantSettle& s : result.settles) settles.push_back({s.time_ms, s.error_ms, s.samples});
  if (settles.size() < kFewestOfCurve) {
    result.note = fmt::format("writes behind {} distances only could be timed: that they settle as long "
                              "behind the others as behind a switch of heads is not known",
                              settles.size());
    return result;
  }
  const statistics::Estimate mean = statistics::mean_of(settles);
  constexpr double kTolerance_ms = 0.015, kSigmas = 4;
  const double apart = mean.value - *model.write_settle.value;
  const double unsure =
      std::hypot(mean.error, result.shared_error_ms, model.write_settle.error.value_or(0));
  const bool alike = !statistics::differ_from(settles, mean.value);
  result.tied = alike && std::abs(apart) <= kTolerance_ms + kSigmas * unsure;
  const std::uint32_t nearest = result.settles.front().cylinders,
                      farthest = result.settles.back().cylinders;
  if (result.tied) {
    result.note = fmt::format(
        "writes behind seeks over {} distances ({} to {} cylinders) settle for {:.4f} +- {:.4f} ms, "
        "as behind a switch of heads{}",
        settles.size(), nearest, farthest, mean.value, unsure,
        settles.size() < kFewestTold ? fmt::format("; {} distances are needed to be sure", kFewestTold)
                                     : "");
    return result;
  }
  result.curve = curve_of(result, model);
  const auto [least, most] = std::ranges::minmax(result.settles, {}, &DistantSettle::time_ms);
  result.note = fmt::format(
      "writes settle for {:.3f} to {:.3f} ms behind seeks over {} distances ({} to {} cylinders), not "
      "as behind a switch of heads: write_seek has a curve of their own",
      least.time_ms, most.time_ms, settles.size(), nearest, farthest);
  return result;
}

WriteSeeks measure_write_seeks(Context& context, const std::vector<LbnRange>& permitted,
                               const model::DriveModel& model, const WriteSeekOptions& options) {
  const engine::LayoutMap& map = *context.map;
  if (permitted.empty() || !model.write_settle || model.seek.points.empty())
    return estimate_write_seeks(context.samples, map, model);
  const std::vector<std::uint32_t> distances =
      distances_up_to(model.seek.points.back().cylinders, options.distances);
  WriteSeekSurvey survey(context, permitted, model, options);
  survey.measure(distances, options.glance_error_ms);
  WriteSeeks found = estimate_write_seeks(context.samples, map, model);
  if (!found.curve) return found;
  survey.measure(distances, options.error_ms);
  return estimate_write_seeks(context.samples, map, model);
}

}  // namespace platter::mtbrc

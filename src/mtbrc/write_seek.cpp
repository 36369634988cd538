#include "mtbrc/write_seek.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/interruption.h"
#include "model/seek_curve.h"
#include "mtbrc/overheads.h"
#include "mtbrc/read_times.h"
#include "mtbrc/seek.h"
#include "mtbrc/switches.h"
#include "mtbrc/trials.h"
#include "mtbrc/writable.h"
#include "mtbrc/write_supply.h"
#include "statistics/alike.h"

namespace platter::mtbrc {
namespace {

constexpr std::size_t kFewestTold = 15;  // distances that must agree before the settle counts for
                                         // all
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
  if (const model::Parameter data = estimate_write_data(samples, map, rotation)) {
    still.value -= *data.value;
    still.error = std::hypot(still.error, data.error.value_or(0));
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
        still_ms_(still_ms(context.samples, map_, context.rotation)
                      .value_or(statistics::Estimate{})
                      .value),
        trials_(context),
        meter_(context, context.limited() ? context.budget : options.budget) {}

  void measure(const std::vector<std::uint32_t>& distances, double error_ms);

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
    if (const auto from = neighbour(context_, to, -move)) return Trip{*from, to, move};
  return std::nullopt;
}

// A track that may be written, at which one can arrive from so far away.
std::optional<engine::Track> WriteSeekSurvey::new_track(std::uint32_t distance) {
  constexpr std::size_t kAttempts = 80;
  for (std::size_t i = 0; i < kAttempts; ++i) {
    const LbnRange& range = permitted_[i % permitted_.size()];
    const std::size_t attempt = i / permitted_.size();  // in this range
    if (range.first >= map_.blocks()) continue;
    const std::uint64_t last = std::min(range.last, map_.blocks() - 1);
    // The longest seeks end near the edges.
    std::uint64_t near = last - range.first;
    if (attempt % 4 != 0) near >>= attempt % 16;
    const std::uint64_t off = std::uniform_int_distribution<std::uint64_t>(0,
                                                                           near)(context_.random);
    const std::uint64_t lbn = attempt % 2 == 0 ? range.first + off : last - off;
    const engine::Track track = map_.track_of_slot(map_.slot_of_lbn(lbn));
    const bool known = std::ranges::any_of(
        tracks_, [&](const engine::Track& t) { return t.first_slot == track.first_slot; });
    if (known || !trip_to(track, distance) || !is_writable(context_, track)) continue;
    if (!learn_contents(context_, track)) continue;
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
  if (!trials_.passages().knows_writes_behind_reads() &&
      !(trials_.go(way->to, true) && trials_.learn_writes_behind_reads(way->to)))
    return false;
  if (!trials_.go(way->from)) return false;
  const std::int64_t key = model_.outward_seek ? way->move : std::abs(way->move);
  auto known = thresholds_.find(key);
  if (known == thresholds_.end()) {
    constexpr double kWidth_rev = 0.01;
    statistics::ThresholdPrior prior = trial_;
    prior.guess_width = kWidth_rev * context_.period_ns();
    // Beside the guess, each elsewhere: where trials lie alike about all thresholds, and hardly
    // scatter, their estimates err alike, and no mean over them is better than one.
    const double beside = std::uniform_real_distribution<double>(-1, 1)(context_.random);
    prior.guess =
        1e6 * (still_ms_ + read_seek(model_, way->move).value + *model_.write_settle.value) +
        beside * prior.guess_width;
    known = thresholds_.emplace(key, Threshold(context_.period_ns(), prior)).first;
  }
  if (trials_.trial(Experiment::seek, way->move, way->to, true, known->second)) return true;
  // Perhaps its angle is not what the map says.
  std::erase_if(tracks_,
                [&](const engine::Track& t) { return t.first_slot == way->to.first_slot; });
  return false;
}

void WriteSeekSurvey::measure(const std::vector<std::uint32_t>& distances, double error_ms) {
  constexpr std::size_t kFewest = 4, kMost = 60;
  constexpr int kFailures = 6;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const auto sharp = [&](std::int64_t move) {
      const auto known = thresholds_.find(move);
      return known != thresholds_.end() && known->second.trials() >= kFewest &&
             (known->second.reported_error_ns() <= 1e6 * error_ms ||
              known->second.trials() >= kMost);
    };
    const std::int64_t inward = distances[i];
    for (int failures = 0;
         failures < kFailures && !meter_.exhausted() && !sharp(inward) && !sharp(-inward);)
      if (!one(distances[i])) ++failures;
    context_.report("seeks of writes",
                    static_cast<double>(i + 1) / static_cast<double>(distances.size()));
  }
}

// In the order of their distances, each with its own error.
std::vector<DistantSettle> settles_of(const Samples& samples, const engine::LayoutMap& map,
                                      const model::DriveModel& model, double still) {
  std::map<std::int64_t, std::vector<statistics::CensoredTrial>> trials;
  const std::uint32_t unit = write_unit(samples);
  Passages passages(map, model.rotation, unit);
  for (const Sample& s : samples) {
    if (s.experiment == Experiment::hit) continue;
    const auto trial = passages.observe(s);
    if (trial && s.experiment == Experiment::seek && s.write && !s.after_write && s.blocks == unit)
      trials[model.outward_seek ? s.group : std::abs(s.group)].push_back(*trial);
  }
  const statistics::ThresholdPrior prior = read_times(samples, map, model.rotation).trial;
  constexpr double kTooWide_rev = 0.05;
  std::map<std::uint32_t, std::vector<statistics::Estimate>> found;
  for (const auto& [move, mine] : trials) {
    stop_if_asked();
    const auto write = statistics::fit_threshold(mine, prior);
    if (!write || write->error > kTooWide_rev * passages.period_ns()) continue;
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

// Whether they are off each other or off the settle behind a switch of heads, by so many errors.
bool apart(const WriteSeeks& found, const model::DriveModel& model, double sigmas) {
  const std::vector<statistics::Estimate> settles = estimates_of(found.settles);
  const statistics::Estimate mean = statistics::weighted_mean(settles);
  constexpr double kTolerance_ms = 0.008;
  const double unsure = std::hypot(mean.error, found.shared_error_ms,
                                   model.write_settle.error.value_or(0));
  return statistics::differ_from(settles, mean.value, sigmas) ||
         std::abs(mean.value - *model.write_settle.value) > kTolerance_ms + sigmas * unsure;
}

double middle_ms(const std::vector<DistantSettle>& settles) {
  std::vector<double> times;
  for (const DistantSettle& s : settles) times.push_back(s.time_ms);
  return statistics::median(times);
}

// Those that lie far from most others: a few trials may mislead.
std::vector<std::uint32_t> strangers(const std::vector<DistantSettle>& settles) {
  constexpr double kSigmas = 3;
  const double middle = middle_ms(settles);
  std::vector<std::uint32_t> distances;
  for (const DistantSettle& s : settles)
    if (std::abs(s.time_ms - middle) > kSigmas * s.error_ms) distances.push_back(s.cylinders);
  return distances;
}

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
  if (apart(others, model, statistics::kBeyondDoubt)) return false;
  found = std::move(others);
  return true;
}

}  // namespace

WriteSeeks estimate_write_seeks(const Samples& samples, const engine::LayoutMap& map,
                                const model::DriveModel& model) {
  WriteSeeks result;
  const auto still = still_ms(samples, map, model.rotation);
  if (!still || !model.write_settle || model.seek.points.empty()) {
    result.note = "whether writes settle equally long after every seek is not known";
    return result;
  }
  result.settles = settles_of(samples, map, model, still->value);
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
  result.tied = without_stranger(result, model) || !apart(result, model, statistics::kBeyondDoubt);
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

WriteSeeks measure_write_seeks(Context& context, const std::vector<LbnRange>& permitted,
                               const model::DriveModel& model, const WriteSeekOptions& options) {
  const engine::LayoutMap& map = *context.map;
  if (permitted.empty() || !model.write_settle || model.seek.points.empty())
    return estimate_write_seeks(context.samples, map, model);
  const std::vector<std::uint32_t> distances = distances_up_to(model.seek.points.back().cylinders,
                                                               options.distances);
  if (!still_ms(context.samples, map, context.rotation)) {
    constexpr std::size_t kTracks = 8;
    measure_same_track(context, true, false, options.still_error_ms,
                       writable_tracks(context, permitted, kTracks));
  }
  WriteSeekSurvey survey(context, permitted, model, options);
  survey.measure(distances, options.glance_error_ms);
  WriteSeeks found = estimate_write_seeks(context.samples, map, model);
  if (const auto doubtful = strangers(found.settles); !doubtful.empty()) {
    survey.measure(doubtful, options.error_ms);
    found = estimate_write_seeks(context.samples, map, model);
  }
  // What may come out as apart when all is known must have been measured sharply.
  constexpr double kDoubt = 3;
  if (found.settles.empty() || !apart(found, model, kDoubt)) return found;
  survey.measure(distances, options.error_ms);
  return estimate_write_seeks(context.samples, map, model);
}

}  // namespace platter::mtbrc

#include "mtbrc/write_seek.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "estimate/write_seeks.h"
#include "mtbrc/known.h"
#include "mtbrc/seek.h"
#include "mtbrc/switches.h"
#include "mtbrc/trials.h"
#include "mtbrc/writable.h"

namespace platter::mtbrc {
namespace {

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

std::optional<statistics::Estimate> still_write(const Context& context) {
  estimate::Estimates so_far = known(context);
  return estimate::estimate_still_write(so_far.of<Figure::same_track>(),
                                        so_far.of<Figure::write_supply>(),
                                        so_far.of<Figure::write_data>());
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
        trial_(known(context).of<Figure::read_times>().trial),
        still_ms_(still_write(context).value_or(statistics::Estimate{}).value),
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
    prior.guess = 1e6 * (still_ms_ + estimate::read_seek(model_, way->move).value +
                         *model_.write_settle.value) +
                  beside * prior.guess_width;
    known = thresholds_.emplace(key, Threshold(context_.period_ns(), prior)).first;
  }
  if (trials_.trial(estimate::Experiment::seek, way->move, way->to, true, known->second))
    return true;
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

}  // namespace

estimate::WriteSeeks measure_write_seeks(Context& context, const std::vector<LbnRange>& permitted,
                                         const model::DriveModel& model,
                                         const WriteSeekOptions& options) {
  if (permitted.empty() || !model.write_settle || model.seek.points.empty())
    return known(context, &model).of<Figure::write_seeks>();
  const std::vector<std::uint32_t> distances = distances_up_to(model.seek.points.back().cylinders,
                                                               options.distances);
  if (!still_write(context)) {
    constexpr std::size_t kTracks = 8;
    measure_same_track(context, true, false, options.still_error_ms,
                       writable_tracks(context, permitted, kTracks));
  }
  WriteSeekSurvey survey(context, permitted, model, options);
  survey.measure(distances, options.glance_error_ms);
  estimate::WriteSeeks found = known(context, &model).of<Figure::write_seeks>();
  if (const auto doubtful = estimate::strangers(found.settles); !doubtful.empty()) {
    survey.measure(doubtful, options.error_ms);
    found = known(context, &model).of<Figure::write_seeks>();
  }
  // What may come out as apart when all is known must have been measured sharply.
  constexpr double kDoubt = 3;
  if (found.settles.empty() || !estimate::settles_apart(found, model, kDoubt)) return found;
  survey.measure(distances, options.error_ms);
  return known(context, &model).of<Figure::write_seeks>();
}

}  // namespace platter::mtbrc

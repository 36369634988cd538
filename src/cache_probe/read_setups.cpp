#include "cache_probe/read_setups.h"

#include <algorithm>
#include <cmath>

#include "cache_probe/facts.h"

namespace platter::cache_probe {
namespace {

// Chosen by trial on the catalogue's caches, which tests/cache_probe/recovery_test.cpp holds but
// for pollution: paper, section 4.3.
constexpr double kShortRequest = 0.5;  // of a track

constexpr std::int64_t kPolluting = 16, kMostPolluting = 64;  // reads; paper, section 4.3
constexpr double kWay_rev = 0.45;              // for an arm to get to a track near by
constexpr std::int64_t kLargestReach = 16384;  // of a segment, of read-ahead
constexpr double kSavedShows_rev = 0.16;       // by the order of access

}  // namespace

std::int64_t most_blocks(Prober& prober) {
  return std::min<std::int64_t>(kLargestReach,
                                static_cast<std::int64_t>(prober.places().room() / 8));
}

std::int64_t most_requested(Prober& prober) {
  return std::min<std::int64_t>(2 * kLargestReach,
                                static_cast<std::int64_t>(prober.places().room() / 4));
}

std::uint64_t aligned_start(const Place& place, std::int64_t blocks) {
  constexpr auto kMultiple = static_cast<std::uint64_t>(kAlignment);
  const std::uint64_t end = place.first + static_cast<std::uint64_t>(blocks);
  return place.first + (kMultiple - end % kMultiple) % kMultiple;
}

Setup setup_of(const Place& place, std::uint64_t lbn, std::uint32_t blocks) {
  const auto last = static_cast<std::int64_t>(lbn + blocks - 1);
  return {blocks, static_cast<std::int64_t>(place.last) - last,
          static_cast<std::int64_t>(place.cylinder_last) - last};
}

void request(Prober& prober, std::uint64_t lbn, std::uint32_t blocks) {
  const std::uint32_t longer = carried_on_by(prober) - 1;
  if (!after_sequential(prober.record()) || lbn <= longer) {
    prober.read(lbn, blocks);
    return;
  }
  prober.read(lbn - longer - 1);
  prober.read(lbn - longer, longer + blocks);
}

std::int64_t rounding(const Prober& prober) {
  return std::clamp<std::int64_t>(prober.write_unit() - 1, 0, reach_blocks(prober.record()) - 1);
}

bool is_quick(const Prober& prober, const scsi::Completion& done) {
  // Chosen: a miss takes far longer than three hits.
  constexpr double kSlowHits = 3;  // times as long as usual
  return static_cast<double>(done.response_ns()) <=
         kSlowHits * Responses(prober.record()).hit_rev() * prober.period_ns();
}

// One block more than a physical one: what carries on goes to the media for it.
std::uint32_t carried_on_by(const Prober& prober) {
  return prober.write_unit() > 1 ? prober.write_unit() + 1 : 1;
}

Prober::Prepare past(Prober& prober, const Past& what) {
  return [&prober, what](std::int64_t farthest) -> std::optional<Prober::Prepared> {
    const auto place = clean_place_for(prober, what.kind,
                                       what.offset + what.blocks + std::abs(farthest) + kAlignment);
    if (!place) return std::nullopt;
    const std::uint64_t lbn = what.aligned
                                  ? aligned_start(*place, what.blocks)
                                  : place->first + std::min(what.offset, place->blocks() - 1);
    const std::uint64_t last = lbn + what.blocks - 1;
    if (last + static_cast<std::uint64_t>(farthest) >= prober.context().map->blocks())
      return std::nullopt;
    prober.refresh_angle();
    request(prober, lbn, what.blocks);
    // No longer than it takes to get there: read-ahead that goes on may push the block out again.
    return Prober::Prepared{[last](std::int64_t x) { return last + static_cast<std::uint64_t>(x); },
                            reading_rev(prober, farthest), setup_of(*place, lbn, what.blocks)};
  };
}

Verdict decide_past(Prober& prober, Question question, std::int64_t key, std::int64_t blocks_past,
                    const Past& what) {
  const Prober::Prepare prepare = past(prober, what);
  return prober.decide(question, key, [&](std::int64_t x) {
    const auto prepared = prepare(blocks_past);
    if (!prepared) return false;
    prober.probe(question, x, prepared->target(blocks_past), prepared->least_rev, prepared->setup);
    return true;
  });
}

double until_free_rev(const Prober& prober) {
  const std::int64_t reach = reach_blocks(prober.record());
  if (reach == 0) return 0;
  const auto least = cut_short(prober.record());
  if (!least)
    return reading_rev(prober, std::min<std::int64_t>(reach, prober.record().setting.track_blocks));
  return least->all || least->least_blocks > 0 ? reading_rev(prober, reach) : 0;
}

std::uint32_t blocks_that_tell(Prober& prober, std::uint32_t blocks) {
  const Record& record = prober.record();
  const double track = record.setting.track_blocks;
  const double saved_rev = blocks / track - blocks * bus_rev_per_block(record).value_or(0);
  if (saved_rev > kSavedShows_rev) return blocks;
  return std::max(blocks,
                  std::min(record.setting.track_blocks, prober.context().drive.most_blocks()));
}

double reading_rev(const Prober& prober, std::int64_t blocks) {
  const double tracks = static_cast<double>(blocks) /
                        static_cast<double>(prober.places().least_track_blocks());
  return kSettle_rev + prober.track_rev() * tracks;
}

std::optional<Place> place_for(Prober& prober, Kind kind, std::int64_t blocks) {
  const std::uint64_t span = static_cast<std::uint64_t>(blocks) + prober.places().track_blocks();
  auto place = prober.places().fresh(kind, span);
  if (!place && kind == Kind::starts_cylinder) place = prober.places().fresh(Kind::any, span);
  return place;
}

std::optional<Place> clean_place_for(Prober& prober, Kind kind, std::int64_t blocks) {
  const auto place = place_for(prober, kind, blocks);
  if (!place || !prober.places().used_before()) return place;
  const auto segments = expected(prober, &scsi::CachePage::segments);
  prober.pollute(static_cast<int>(std::clamp<std::int64_t>(segments.empty() ? 0 : segments[0] + 1,
                                                           kPolluting, kMostPolluting)));
  return place;
}

std::optional<LargeRequest> place_for_large(Prober& prober, std::int64_t blocks,
                                            std::int64_t ahead) {
  const Record& record = prober.record();
  const bool bounded = ends_at_boundary(record);
  const bool of_track = judge(record, Question::cross_track, 0).verdict == Verdict::miss;
  const std::int64_t boundary = prober.places().track_blocks() *
                                (of_track ? 1 : prober.context().map->heads());
  const auto place = clean_place_for(prober, Kind::any,
                                     blocks + 2 * ahead + (bounded ? boundary : kAlignment));
  if (!place) return std::nullopt;
  const auto length = static_cast<std::uint32_t>(blocks);
  const std::uint64_t begin = aligned_start(*place, blocks);
  if (!bounded) return LargeRequest{begin, setup_of(*place, begin, length)};
  const auto ends = prober.places().ends_behind(place->first + length - 1, of_track);
  if (!ends) return std::nullopt;
  return LargeRequest{ends->here + 1 - length,
                      {length, static_cast<std::int64_t>(ends->next_track - ends->here),
                       static_cast<std::int64_t>(ends->track_after - ends->here)}};
}

std::vector<std::uint64_t> read_scattered(Prober& prober, std::int64_t count, std::uint32_t blocks,
                                          double rest_rev) {
  std::vector<std::uint64_t> read;
  std::int64_t span = std::max<std::int64_t>(blocks, reach_blocks(prober.record()));
  // What has no end that was found may go on as long as there is time.
  if (const auto reach = reach_edge(prober.record()); reach && !reach->first_miss)
    span = std::max(span, static_cast<std::int64_t>(rest_rev * prober.places().track_blocks()));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto place = read.empty() ? place_for(prober, Kind::any_track, span)
                                    : prober.places().fresh_near(
                                          read.back(), static_cast<std::uint64_t>(span) +
                                                           prober.places().track_blocks());
    if (!place) return {};
    // One that arrives soon, where it does not matter which.
    std::uint64_t lbn = place->first;
    if (blocks == 1 && rest_rev == 0 && !read.empty() && prober.record().setting.angles_trusted) {
      const double ahead = prober.angle_now_rev() + kWay_rev - prober.angle_rev(place->first);
      const auto offset =
          static_cast<std::uint64_t>((ahead - std::floor(ahead)) * place->track.sectors);
      lbn = std::min(place->first + offset, place->last);
    }
    prober.read(lbn, blocks);
    if (rest_rev > 0) prober.rest_rev(rest_rev);
    read.push_back(lbn);
  }
  return read;
}

void sample_arrival(Prober& prober, Question question, std::uint32_t blocks,
                    const std::function<bool(double ahead_rev)>& sample, int samples) {
  for (int i = 0; i < samples && !prober.spent(); ++i)
    if (!prober.tolerate([&] { return sample((i + 0.5) / samples); })) return;
  // A short request is seldom met in its middle by chance.
  const double share = blocks / static_cast<double>(prober.places().track_blocks());
  if (share > kShortRequest) return;
  for (const double phase : telling_phases(arrival_samples(prober.record(), question), share)) {
    if (prober.spent()) return;
    prober.tolerate([&] { return sample(1 - phase); });
  }
}

}  // namespace platter::cache_probe

// How far read-ahead goes, and what ends it or starts it again.
#include <algorithm>
#include <cmath>

#include "cache_probe/facts.h"
#include "cache_probe/read_tests.h"
#include "statistics/robust.h"

namespace platter::cache_probe {
namespace {

constexpr std::int64_t kHorizon = 4;  // tracks; as far as most drives read ahead
constexpr std::int64_t kFar = 6;  // tracks; what is read ahead so far is waited for by the drive's
                                  // own pace
constexpr std::int64_t kShortRead = 2, kLongRead = 10;  // tracks
constexpr int kPaces = 3;
constexpr double kSlowHits = 3;  // times as long as usual
constexpr int kMostReplaced = 40;

// How long the drive takes to read on over tracks: a revolution more each where it comes too late
// for the first sector. The way to the first block is the same for long and for short reads.
void learn_pace(Prober& prober) {
  const std::int64_t track = prober.places().track_blocks();
  const auto longest = std::min<std::int64_t>(kLongRead * track,
                                              prober.context().drive.most_blocks());
  const std::int64_t shortest = kShortRead * track;
  if (longest < 2 * shortest) return;
  std::vector<double> paces;
  for (int i = 0; i < kPaces && !prober.spent(); ++i) {
    double took_rev[2] = {};
    for (const int is_long : {0, 1}) {
      const std::int64_t blocks = is_long ? longest : shortest;
      const auto place = place_for(prober, Kind::any, blocks);
      if (!place) return;
      const auto done = prober.context().drive.read(place->first,
                                                    static_cast<std::uint32_t>(blocks));
      took_rev[is_long] = static_cast<double>(done.response_ns()) / prober.period_ns();
    }
    paces.push_back((took_rev[1] - took_rev[0]) * static_cast<double>(track) /
                    static_cast<double>(longest - shortest));
  }
  if (!paces.empty()) prober.set_track_rev(statistics::median(paces));
}

}  // namespace

void test_read_ahead(Prober& prober) {
  const Record& record = prober.record();
  const std::uint32_t track = prober.places().track_blocks();
  std::vector<std::int64_t> ends = expected(prober, &scsi::CachePage::max_prefetch);
  for (const std::int64_t end : expected(prober, &scsi::CachePage::segment_blocks))
    ends.push_back(end);
  ends.push_back(track - 1);
  if (reads_ahead(record) && *std::ranges::max_element(ends) > kFar * track) learn_pace(prober);
  if (reads_ahead(record)) {
    prober.locate(Question::reach,
                  {.from = 1,
                   .limit = most_blocks(prober),
                   .horizon = kHorizon * track,
                   .guesses = ends,
                   .overrun = Question::reach_overrun},
                  past(prober, {.kind = Kind::starts_cylinder}));
  }
  // Read-ahead may push out what it read first; then what it ends at tells how far it goes.
  if (reads_ahead(record) && reach_blocks(record) == 0) {
    const auto place = place_for(prober, Kind::starts_cylinder, 0);
    std::vector<std::int64_t> boundaries = {track - 1, 2 * track - 1};
    if (place) boundaries.push_back(static_cast<std::int64_t>(place->cylinder_last - place->first));
    std::ranges::sort(boundaries, std::greater<>());
    const auto trial = prober.trial_of(Question::reach_end,
                                       past(prober, {.kind = Kind::starts_cylinder}));
    for (const std::int64_t end : boundaries) {
      if (prober.decide(Question::reach_end, end, trial) != Verdict::hit) continue;
      if (prober.decide(Question::reach_end, end + 1, trial) == Verdict::miss) break;
    }
  }
  // It may end at a multiple of some number of blocks: then it goes farthest behind requests that
  // end before such a multiple.
  if (const auto edge = reach_edge(record); edge && edge->first_miss) {
    const Prober::Prepare prepare = past(prober, {.kind = Kind::starts_cylinder, .aligned = true});
    const std::int64_t beyond = edge->last_hit + 1;
    const Prober::Trial trial = prober.trial_of(Question::reach_aligned, prepare);
    if (edge->mixed || prober.decide(Question::reach_aligned, beyond, trial) == Verdict::hit) {
      prober.search(Question::reach_aligned, std::max<std::int64_t>(1, edge->sure_hit),
                    most_blocks(prober), 2, trial);
    }
  }
  const std::int64_t reach = reach_blocks(record);

  // From a track's middle: as many blocks, or to the same end?
  if (reach > 1) {
    decide_past(prober, Question::reach_mid, 0, reach, {.offset = track / 2});
    // Behind a larger request: as many blocks, or fewer because the segment is full?
    const auto large = static_cast<std::uint32_t>(std::max<std::int64_t>(2, reach / 4));
    decide_past(prober, Question::reach_large, 0, reach,
                {.kind = Kind::starts_cylinder, .blocks = large, .aligned = true});
  }

  // From the last blocks of a track, or of a cylinder, over its end.
  if (reach > 0) {
    const auto before = static_cast<std::uint32_t>(std::min<std::int64_t>(4, (reach - 1) / 2));
    const std::int64_t over = before + 1 + std::min<std::int64_t>(2, reach - before - 1);
    // Where read-ahead pushes out what it read first, the end of the cylinder is where to look.
    const bool overruns = !reach_edge(record);
    const auto cross = [&](Question question, Kind kind) {
      prober.decide(question, 0, [&](std::int64_t key) {
        auto place = clean_place_for(prober, kind, over);
        if (!place || place->blocks() <= before) return false;
        if (overruns && kind == Kind::before_end) {
          const auto last = prober.places().place_of_lbn(place->cylinder_last);
          place = last ? prober.places().place_of_lbn(last->first - 1) : std::nullopt;
          if (!place) return false;
          prober.refresh_angle();
          request(prober, place->last, 1);
          prober.probe(question, key, place->cylinder_last, reading_rev(prober, track),
                       setup_of(*place, place->last, 1));
          return true;
        }
        const std::uint64_t lbn = place->last - before;
        request(prober, lbn, 1);
        prober.probe(question, key, lbn + static_cast<std::uint64_t>(over),
                     reading_rev(prober, over), setup_of(*place, lbn, 1));
        return true;
      });
    };
    cross(Question::cross_track, Kind::before_end);
    cross(Question::cross_cylinder, Kind::ends_cylinder);
  }

  // Paper, section 4.3.3, "Track prefetching algorithm": the end of one track, then all of the
  // next.
  if (judge(record, Question::cross_track, 0).verdict == Verdict::hit) return;
  const Prober::Prepare sequential = [&](std::int64_t farthest) -> std::optional<Prober::Prepared> {
    const auto place = clean_place_for(prober, Kind::starts_cylinder, 2 * track + farthest);
    if (!place) return std::nullopt;
    const auto next = prober.places().place_of_lbn(place->last + 1);
    if (!next ||
        next->last + static_cast<std::uint64_t>(farthest) >= prober.context().map->blocks())
      return std::nullopt;
    const auto third = prober.places().place_of_lbn(next->last + 1);
    const auto fourth = third ? prober.places().place_of_lbn(third->last + 1) : std::nullopt;
    if (!fourth) return std::nullopt;
    prober.refresh_angle();
    const std::uint32_t end = std::min<std::uint32_t>(8, place->blocks());
    prober.read(place->last + 1 - end, end);
    prober.read(next->first, next->blocks());
    return Prober::Prepared{
        [last = next->last](std::int64_t x) { return last + static_cast<std::uint64_t>(x); },
        reading_rev(prober, farthest),
        Setup{next->blocks(), static_cast<std::int64_t>(third->last - next->last),
              static_cast<std::int64_t>(fourth->last - next->last)}};
  };
  const auto into_next = [&](std::int64_t key) {
    const auto prepared = sequential(3);
    if (!prepared) return false;
    prober.probe(Question::cross_sequential, key, prepared->target(3), prepared->least_rev,
                 prepared->setup);
    return true;
  };
  if (prober.decide(Question::cross_sequential, 0, into_next) != Verdict::hit) {
    // Or where one request goes over the end of a track: to the end of the one behind.
    prober.decide(Question::cross_sequential, 1, [&](std::int64_t key) {
      const auto place = clean_place_for(prober, Kind::starts_cylinder, 3 * track);
      if (!place) return false;
      const auto next = prober.places().place_of_lbn(place->last + 1);
      const auto far = next ? prober.places().place_of_lbn(next->last + 1) : std::nullopt;
      if (!far) return false;
      prober.refresh_angle();
      request(prober, place->last - 3, 8);
      prober.probe(Question::cross_sequential, key, far->last, reading_rev(prober, 2 * track),
                   setup_of(*next, next->first + 3, 8));
      return true;
    });
    // Or the ends of two tracks, where a segment is shorter than a track.
    if (!sequential_tracks(record)) {
      prober.decide(Question::cross_sequential, 2, [&](std::int64_t key) {
        const auto place = clean_place_for(prober, Kind::starts_cylinder, 3 * track);
        const auto next = place ? prober.places().place_of_lbn(place->last + 1) : std::nullopt;
        if (!next) return false;
        const std::uint32_t end = std::min<std::uint32_t>(8, next->blocks());
        prober.refresh_angle();
        request(prober, place->last + 1 - end, end);
        prober.rest_rev(kSettle_rev);
        prober.read(next->last + 1 - end, end);
        prober.probe(Question::cross_sequential, key, next->last + 3, kSettle_rev,
                     setup_of(*next, next->last + 1 - end, end));
        return true;
      });
    }
    return;
  }
  prober.locate(Question::reach_sequential, {3, 4 * track, 2 * track, ends}, sequential);
}

void test_read_ahead_on_hit(Prober& prober) {
  const Record& record = prober.record();
  const auto count = segment_count(record);
  const std::int64_t reach = reach_blocks(record);
  std::int64_t offset = std::min<std::int64_t>(prober.places().track_blocks() / 3, 3 * reach / 4);
  if (!count || offset < 8) return;
  const auto hit_at_end = [&] {
    const auto edge = reach_edge(record);
    if (edge && !edge->first_miss) return;  // it goes on without a hit
    // Where one segment is all there is: does a hit on its last block take read-ahead further?
    prober.decide(Question::hit_at_end, 0, [&](std::int64_t key) {
      const auto place = clean_place_for(prober, Kind::starts_cylinder, 2 * reach);
      if (!place) return false;
      const std::uint64_t last = place->first + static_cast<std::uint64_t>(reach);
      prober.refresh_angle();
      prober.read(place->first);
      prober.rest_rev(reading_rev(prober, reach));
      prober.context().drive.read(last, 1);
      prober.probe(Question::hit_at_end, key, last + 1 + static_cast<std::uint64_t>(reach / 4),
                   reading_rev(prober, reach), setup_of(*place, place->first, 1));
      return true;
    });
  };
  if (!retained(record) || count->settled || count->count - count->error < 2) return hit_at_end();
  // How far does read-ahead get before it obeys the next read?
  const Prober::Prepare next_elsewhere =
      [&](std::int64_t farthest) -> std::optional<Prober::Prepared> {
    const auto place = clean_place_for(prober, Kind::starts_cylinder, reach + farthest);
    const auto other = clean_place_for(prober, Kind::any, reach);
    if (!place || !other) return std::nullopt;
    prober.refresh_angle();
    request(prober, place->first, 1);
    prober.read(other->first);
    return Prober::Prepared{
        [first = place->first](std::int64_t x) { return first + static_cast<std::uint64_t>(x); }, 0,
        setup_of(*place, place->first, 1)};
  };
  const auto far = prober.decide(Question::cut_short, offset,
                                 prober.trial_of(Question::cut_short, next_elsewhere));
  std::vector<std::int64_t> least = expected(prober, &scsi::CachePage::min_prefetch);
  least.push_back(reach);
  const std::int64_t at_once = at_once_blocks(record);
  if (far == Verdict::hit && reach <= at_once) return;
  if (far == Verdict::hit ||
      prober.decide(Question::cut_short, at_once,
                    prober.trial_of(Question::cut_short, next_elsewhere)) == Verdict::hit)
    prober.locate(Question::cut_short, {at_once, reach + 1, reach + 1, least}, next_elsewhere);
  const auto least_read = cut_short(record);
  if (least_read && least_read->all) return hit_at_end();
  if (least_read && least_read->least_blocks >= offset)
    offset = least_read->least_blocks +
             std::max<std::int64_t>(1, (reach - least_read->least_blocks) / 2);
  int replaced = 0;
  const auto trial = [&](std::int64_t x) {
    const auto place = clean_place_for(prober, Kind::starts_cylinder, reach_blocks(record));
    const auto other = clean_place_for(prober, Kind::any, reach_blocks(record));
    if (!place || !other) return false;
    prober.refresh_angle();
    request(prober, place->first, 1);
    prober.read(other->first);                                   // ends read-ahead behind the first
    prober.rest_rev(reading_rev(prober, reach_blocks(record)));  // the drive is idle again
    if (x == 1) {
      const scsi::Completion again = prober.context().drive.read(place->first, 1);
      // Where it was replaced meanwhile it is read anew, and read-ahead begins behind it: that is
      // no trial.
      const auto response_rev = static_cast<double>(again.response_ns()) / prober.period_ns();
      if (count->random && response_rev > kSlowHits * Responses(record).hit_rev())
        return ++replaced < kMostReplaced;
    }
    prober.probe(Question::interrupted, x, place->first + static_cast<std::uint64_t>(offset),
                 x == 1 ? 3.0 : 0.0, setup_of(*place, place->first, 1));
    return true;
  };
  if (prober.decide(Question::interrupted, 0, trial) == Verdict::miss)
    prober.decide(Question::interrupted, 1, trial);
}

}  // namespace platter::cache_probe

#include "cache_probe/read_tests.h"

#include <algorithm>
#include <cmath>

#include "cache_probe/facts.h"
#include "cache_probe/random_replacement.h"

namespace platter::cache_probe {
namespace {

constexpr int kControls = 6;        // of each kind
constexpr double kEarly_rev = 0.1;  // before the sector arrives
constexpr double kOff_rev = 0.2;    // from the usual time after it arrives
constexpr std::ptrdiff_t kEarlyAtMost = 1, kOffAtMost = 4;
constexpr std::uint32_t kRereads = 4;
constexpr std::int64_t kHorizon = 4;  // tracks; as far as most drives read ahead
constexpr double kWay_rev = 0.45;     // for an arm to get to a track near by
constexpr std::int64_t kFirstSegments = 16;
constexpr std::int64_t kAtOnce = 24;         // blocks that pass before a drive breaks off
constexpr std::uint64_t kStream = 80;        // reads
constexpr double kLarger = 1.25;             // than what a segment holds else
constexpr std::int64_t kMostBlocks = 16384;  // of a segment, of read-ahead
constexpr std::int64_t kMostSegments = 2048;
constexpr std::int64_t kAlignment = 64;  // blocks; a multiple of what drives round to
constexpr int kFewOfMany = 2, kUsualOfMany = 8, kMostOfMany = 20;
constexpr int kBusSamples = 3;
constexpr double kShortRequest = 0.5;  // of a track
constexpr double kSavedShows_rev = 0.15;  // by the order of access
constexpr double kGoneBy_rev = 0.05;   // more than a sector, much less than a revolution
constexpr double kSettle_rev = 1.5;    // for read-ahead to begin
constexpr double kSkewShare = 1.3;     // revolutions a track of read-ahead takes, skew included

std::int64_t most_blocks(Prober& prober) {
  return std::min<std::int64_t>(kMostBlocks, static_cast<std::int64_t>(prober.places().room() / 8));
}

// The first LBN of a place from which a request of so many blocks ends before a multiple of
// kAlignment: drives that read ahead to such multiples then do the same each time.
std::uint64_t aligned_start(const Place& place, std::int64_t blocks) {
  constexpr auto kMultiple = static_cast<std::uint64_t>(kAlignment);
  const std::uint64_t end = place.first + static_cast<std::uint64_t>(blocks);
  return place.first + (kMultiple - end % kMultiple) % kMultiple;
}

// The setup as the record keeps it: where the request ended.
Setup setup_of(const Place& place, std::uint64_t lbn, std::uint32_t blocks) {
  const auto last = static_cast<std::int64_t>(lbn + blocks - 1);
  return {blocks, static_cast<std::int64_t>(place.last) - last,
          static_cast<std::int64_t>(place.cylinder_last) - last};
}

// What the mode page lets expect; it may be wrong.
template <typename Field>
std::vector<std::int64_t> expected(const Prober& prober, Field scsi::CachePage::*field) {
  const auto& page = prober.record().setting.page;
  const std::int64_t value = page ? page.value().*field : 0;
  return value > 0 && value < 0xFFFF ? std::vector{value, value - 1} : std::vector<std::int64_t>{};
}

// So that read-ahead begins behind the request, even where only a read that carries on does that.
void request(Prober& prober, std::uint64_t lbn, std::uint32_t blocks) {
  if (after_sequential(prober.record()) && lbn > 0) prober.read(lbn - 1);
  prober.read(lbn, blocks);
}

// Reads `blocks` from `offset` of a fresh track, for probes x blocks past them.
struct Past {
  Kind kind = Kind::any;
  std::uint32_t offset = 0, blocks = 1;
  bool aligned = false;
};
Prober::Prepare past(Prober& prober, const Past& what) {
  return [&prober, what](std::int64_t farthest) -> std::optional<Prober::Prepared> {
    const auto place =
        place_for(prober, what.kind, what.offset + what.blocks + std::abs(farthest) + kAlignment);
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

// A hypothesis without an x of its own: the block so far behind a request is in the cache.
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

// Whether sectors came when the map says.
bool angles_hold(const Record& record) {
  const Responses responses(record);
  std::ptrdiff_t early = 0, off = 0;
  for (const Observation& seen : record.observations) {
    if (seen.question != Question::miss_control) continue;
    const double late =
        static_cast<double>(seen.response_ns()) / record.setting.period_ns - seen.ahead_rev;
    const double from_usual = late - responses.late_rev();
    early += late < -kEarly_rev ? 1 : 0;
    off += std::abs(from_usual - std::round(from_usual)) > kOff_rev ? 1 : 0;
  }
  return early <= kEarlyAtMost && off <= kOffAtMost;
}

}  // namespace

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
  const double saved_rev =
      blocks / track - blocks * bus_rev_per_block(record).value_or(0);
  if (saved_rev > kSavedShows_rev) return blocks;
  return std::max(blocks, std::min(record.setting.track_blocks, prober.context().drive.most_blocks()));
}

double reading_rev(const Prober& prober, std::int64_t blocks) {
  const double tracks =
      static_cast<double>(blocks) / static_cast<double>(prober.record().setting.track_blocks);
  return kSettle_rev + kSkewShare * tracks;
}

std::optional<Place> place_for(Prober& prober, Kind kind, std::int64_t blocks) {
  const std::uint64_t span = static_cast<std::uint64_t>(blocks) + prober.places().track_blocks();
  auto place = prober.places().fresh(kind, span);
  if (!place && kind == Kind::starts_cylinder) place = prober.places().fresh(Kind::any, span);
  return place;
}

void test_miss_control(Prober& prober) {
  Record& record = prober.record();
  const auto far = [&](std::int64_t x) {
    const auto place = place_for(prober, Kind::any, 0);
    if (!place) return false;
    prober.refresh_angle();
    prober.probe(Question::miss_control, x, place->first + place->blocks() / 2, 0);
    return true;
  };
  const auto near = [&](std::int64_t x) {
    const auto place = place_for(prober, Kind::any, 0);
    if (!place || place->first < place->blocks()) return false;
    prober.refresh_angle();
    // The angle is planned from a read before, elsewhere, as in most tests.
    prober.context().drive.read(place->first + place->blocks() / 2, 1);
    prober.probe(Question::miss_control, x, place->first - place->blocks() / 2, 0);
    return true;
  };
  for (const bool trusted : {true, false}) {
    record.setting.angles_trusted = trusted;
    std::erase_if(record.observations,
                  [](const Observation& seen) { return seen.question == Question::miss_control; });
    for (int i = 0; i < (trusted ? 1 : 2) * kControls; ++i) {
      far(0);
      near(1);
    }
    if (trusted && angles_hold(record)) return;
  }
}

void test_basics(Prober& prober) {
  // "Cache discards block after transferring it": a miss would cost a whole revolution. Once the
  // block is known to stay, it shows how long hits take.
  prober.decide(Question::reread, 0, [&](std::int64_t x) {
    const auto place = place_for(prober, Kind::any, 0);
    if (!place) return false;
    const std::uint64_t lbn = place->first + place->blocks() / 2;
    prober.read(lbn);
    for (std::uint32_t i = 0; i < kRereads; ++i)
      prober.probe_now(Question::reread, x, lbn, setup_of(*place, lbn, 1), i);
    return true;
  });
  // The next block has just gone by; a drive that has not read it waits a revolution.
  const Verdict at_once = prober.decide(Question::next_block, 0, [&](std::int64_t x) {
    const auto place = place_for(prober, Kind::any, 0);
    if (!place) return false;
    const std::uint64_t lbn = place->first + place->blocks() / 3;
    prober.read(lbn);
    prober.rest_rev(kGoneBy_rev);
    prober.probe_now(Question::next_block, x, lbn + 1, setup_of(*place, lbn, 1));
    return true;
  });
  if (at_once == Verdict::hit) return;
  if (decide_past(prober, Question::next_block, 1, 1,
                  {.offset = prober.places().track_blocks() / 3}) == Verdict::hit)
    return;
  prober.decide(Question::next_sequential, 0, [&](std::int64_t x) {
    const auto place = place_for(prober, Kind::any, 0);
    if (!place) return false;
    const std::uint64_t lbn = place->first + place->blocks() / 3;
    prober.read(lbn);
    prober.read(lbn + 1);
    prober.probe(Question::next_sequential, x, lbn + 2, kSettle_rev, setup_of(*place, lbn + 1, 1));
    return true;
  });
}

void test_read_ahead(Prober& prober) {
  const Record& record = prober.record();
  const std::uint32_t track = prober.places().track_blocks();
  std::vector<std::int64_t> ends = expected(prober, &scsi::CachePage::max_prefetch);
  for (const std::int64_t end : expected(prober, &scsi::CachePage::segment_blocks))
    ends.push_back(end);
  ends.push_back(track - 1);
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
    const auto trial =
        prober.trial_of(Question::reach_end, past(prober, {.kind = Kind::starts_cylinder}));
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
        auto place = place_for(prober, kind, over);
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
    const auto place = place_for(prober, Kind::starts_cylinder, 2 * track + farthest);
    if (!place) return std::nullopt;
    const auto next = prober.places().place_of_lbn(place->last + 1);
    if (!next ||
        next->last + static_cast<std::uint64_t>(farthest) >= prober.context().map->blocks())
      return std::nullopt;
    prober.refresh_angle();
    const std::uint32_t end = std::min<std::uint32_t>(8, place->blocks());
    prober.read(place->last + 1 - end, end);
    prober.read(next->first, next->blocks());
    return Prober::Prepared{
        [last = next->last](std::int64_t x) { return last + static_cast<std::uint64_t>(x); },
        reading_rev(prober, farthest), setup_of(*next, next->first, next->blocks())};
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
      const auto place = place_for(prober, Kind::starts_cylinder, 3 * track);
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
        const auto place = place_for(prober, Kind::starts_cylinder, 3 * track);
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

void test_segment_size(Prober& prober) {
  const Record& record = prober.record();
  if (!caches_reads(record)) return;
  // In pieces a request takes a segment for each.
  const std::int64_t most =
      std::min<std::int64_t>(most_blocks(prober), prober.context().drive.most_blocks());
  const std::int64_t reach = reach_blocks(record);
  const std::int64_t track = prober.places().track_blocks();
  // Read-ahead shall end at the same distance each time: at the end of a track or cylinder from a
  // cylinder's first block, at a multiple of some blocks before such a multiple.
  const bool bounded = judge(record, Question::cross_track, 0).verdict == Verdict::miss ||
                       judge(record, Question::cross_cylinder, 0).verdict == Verdict::miss;
  // A request, and what is read ahead behind it; the probes' places are counted from its first
  // block.
  const auto request_of = [&](std::int64_t request, std::int64_t ahead,
                              std::function<std::int64_t(std::int64_t)> offset) -> Prober::Prepare {
    return [&prober, request, ahead, offset,
            bounded](std::int64_t) -> std::optional<Prober::Prepared> {
      const auto place = place_for(prober, bounded ? Kind::starts_cylinder : Kind::any,
                                   request + 2 * ahead + kAlignment);
      if (!place) return std::nullopt;
      prober.refresh_angle();
      const std::uint64_t lbn = bounded ? place->first : aligned_start(*place, request);
      const auto blocks = static_cast<std::uint32_t>(request);
      prober.read(lbn, blocks);
      return Prober::Prepared{
          [lbn, offset](std::int64_t x) { return lbn + static_cast<std::uint64_t>(offset(x)); },
          reading_rev(prober, ahead), setup_of(*place, lbn, blocks)};
    };
  };

  // Is the first block of a request of x blocks still there when read-ahead is complete?
  const auto first_held = [&](std::int64_t x) {
    return prober.decide(Question::held_first, x,
                         prober.trial_of(Question::held_first,
                                         request_of(x, reach, [](std::int64_t) { return 0; })));
  };
  std::vector<std::int64_t> sizes = expected(prober, &scsi::CachePage::segment_blocks);
  std::int64_t request = 1;
  std::optional<Edge> upper;
  if (first_held(1) == Verdict::hit) {
    // A request that overflows the segment, and what is held behind it.
    request = std::min(most, sizes.empty() ? 2 * track : sizes[0] + kAlignment);
    while (first_held(request) == Verdict::hit && request < most && !prober.spent())
      request = std::min(most, 4 * request);
    if (judge(record, Question::held_first, request).verdict != Verdict::miss) return;
    std::vector<std::int64_t> ends = {reach};
    for (const std::int64_t end : expected(prober, &scsi::CachePage::max_prefetch))
      if (end <= 2 * reach) ends.push_back(end);
    const std::int64_t farthest = *std::ranges::max_element(ends) + 1;
    upper =
        prober.locate(Question::held_upper, {0, 2 * reach + 8, farthest, ends},
                      request_of(request, reach, [&](std::int64_t x) { return request - 1 + x; }));
  } else {
    upper = edge_of(record, Question::reach_aligned);
    if (!upper || bounded) upper = reach_edge(record);
  }
  if (!upper && reach == 0) return;
  const std::int64_t top = request - 1 + (upper ? upper->sure_hit : reach);
  prober.locate(Question::held_lower, {0, top, top, sizes},
                request_of(request, std::max<std::int64_t>(0, top - request),
                           [&](std::int64_t x) { return top - x; }));
  // May read-ahead push out what was requested? A request that fills a segment tells.
  if (const auto size = segment_size(record); size && request > 1 && !size->bound)
    first_held(std::max<std::int64_t>(1, static_cast<std::int64_t>(size->blocks - size->error)));
}

std::vector<std::uint64_t> read_scattered(Prober& prober, std::int64_t count, std::uint32_t blocks,
                                          double rest_rev) {
  std::vector<std::uint64_t> read;
  const std::int64_t span = std::max<std::int64_t>(blocks, reach_blocks(prober.record()));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto place =
        read.empty() ? place_for(prober, Kind::any, span)
                     : prober.places().fresh_near(read.back(), static_cast<std::uint64_t>(span) +
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

void test_segment_count(Prober& prober) {
  const Record& record = prober.record();
  if (!caches_reads(record)) return;
  const std::int64_t track = prober.places().track_blocks(), reach = reach_blocks(record);
  const auto room = static_cast<std::int64_t>(prober.places().room());
  const std::int64_t most =
      std::clamp<std::int64_t>(room / (2 * (3 * track + reach)), 2, kMostSegments);

  // The x-th newest of reads on distinct cylinders: the first of x.
  const auto scattered = [&](std::uint32_t blocks, std::int64_t probed,
                             double rest) -> Prober::Prepare {
    return [&prober, blocks, probed, rest](std::int64_t count) -> std::optional<Prober::Prepared> {
      const auto read = read_scattered(prober, count, blocks, rest);
      if (read.empty()) return std::nullopt;
      return Prober::Prepared{[read, probed](std::int64_t x) {
                                return read[read.size() - static_cast<std::size_t>(x)] +
                                       static_cast<std::uint64_t>(probed);
                              },
                              0, Setup{blocks, 0, 0}};
    };
  };
  const auto counts = expected(prober, &scsi::CachePage::segments);
  const std::int64_t horizon = counts.empty() ? kFirstSegments : counts[0] + 1;
  std::optional<Edge> count;
  if (retained(record))
    count = prober.locate(Question::segments,
                          {.from = 1,
                           .limit = most,
                           .horizon = horizon,
                           .guesses = counts,
                           .each = true,
                           .search = false},
                          scattered(1, 0, 0));
  // Where requested blocks are dropped, or read-ahead pushes them out before the next read is
  // served, a block read ahead tells.
  if (reach > 0 && (!count || count->last_hit == 1)) {
    const std::int64_t probed = std::max<std::int64_t>(1, reach / 2);
    prober.locate(Question::segments_settled, {1, most, horizon, counts, true},
                  scattered(1, probed, reading_rev(prober, probed)));
  }

  // Not the same each time: what is replaced at random leaves some of any age.
  if (count && count->mixed) {
    const auto setup_of_many = scattered(1, 0, 0);
    const std::int64_t many = std::min(most, 3 * count->last_hit + kFirstSegments);
    const auto probe_many = [&] {
      const auto prepared = setup_of_many(many);
      if (!prepared) return;
      for (std::int64_t x = 1; x <= many && !prober.spent(); ++x)
        prober.probe(Question::kept_of_many, x, prepared->target(x), 0, prepared->setup,
                     static_cast<std::uint32_t>(x - 1));
    };
    for (int i = 0; i < kMostOfMany && !prober.spent(); ++i) {
      const Verdict random = replaced_at_random(record);
      if (i >= kFewOfMany && random == Verdict::miss) break;
      if (i >= kUsualOfMany && random == Verdict::hit) break;
      probe_many();
    }
    if (replaced_at_random(record) != Verdict::hit) {
      prober.search(Question::segments, 1, most, 2,
                    prober.trial_of(Question::segments, scattered(1, 0, 0)));
    }
  }

  // Whose turn is it: the oldest is read again before one more comes.
  const auto found = segment_count(record);
  if (found && !found->bound && !found->random && !found->settled && found->count >= 2) {
    const auto counted = static_cast<std::int64_t>(found->count - found->error);
    // One more; where the number is not known exactly, enough.
    const auto more = 1 + static_cast<std::int64_t>(std::ceil(2 * found->error));
    prober.decide(Question::replaced, counted, [&](std::int64_t x) {
      // So many more would take any place.
      if (found->error > 0 && more >= x) return false;
      auto read = read_scattered(prober, x, 1, 0);
      if (read.empty()) return false;
      prober.context().drive.read(read[0], 1);
      if (read_scattered(prober, more, 1, 0).empty()) return false;
      prober.probe(Question::replaced, x, read[0], 0);
      return true;
    });
  }

  // The same with full segments, where small requests do not fill them: a common buffer holds
  // fewer.
  const auto size = segment_size(record);
  if (!found || !size || size->only_ahead || size->bound || found->bound || found->random ||
      found->count < 2 || 2 * static_cast<double>(reach) >= size->blocks)
    return;
  const auto held = static_cast<std::int64_t>(std::min(size->blocks - size->error, 4096.0));
  const std::int64_t blocks = std::max<std::int64_t>(1, held - reach);
  const std::int64_t probed = std::max(blocks - 1, std::min(held / 2, blocks - 1 + reach));
  const auto counted = static_cast<std::int64_t>(found->count);
  const auto trial = prober.trial_of(Question::segments_full,
                                     scattered(static_cast<std::uint32_t>(blocks), probed,
                                               reach > 0 ? reading_rev(prober, reach) : 0));
  if (prober.decide(Question::segments_full, counted, trial) == Verdict::hit) return;
  prober.search(Question::segments_full, 1, counted, 2, trial);
}

void test_adaptivity(Prober& prober) {
  const Record& record = prober.record();
  const auto size = segment_size(record);
  const auto count = segment_count(record);
  if (!size || !count || size->bound || size->only_ahead || count->random || count->bound) return;
  // A stream long enough for any drive to see it as one, then a request elsewhere (what the stream
  // itself left is of many sizes).
  const auto trial = [&](std::int64_t x) {
    const auto place = place_for(prober, Kind::any, kStream);
    const auto other = place_for(prober, Kind::any, x + reach_blocks(record));
    if (!place || !other) return false;
    for (std::uint64_t i = 0; i < kStream; ++i) prober.context().drive.read(place->first + i, 1);
    prober.refresh_angle();
    prober.read(other->first, static_cast<std::uint32_t>(x));
    prober.probe(Question::held_in_stream, x, other->first, 0,
                 setup_of(*other, other->first, static_cast<std::uint32_t>(x)));
    return true;
  };
  const double all = size->blocks * count->count;
  auto low = static_cast<std::int64_t>(kLarger * size->blocks) + 2;
  const std::int64_t longest = prober.context().drive.most_blocks();
  if (low > longest) return;
  if (prober.decide(Question::held_in_stream, low, trial) != Verdict::hit) return;
  // So many blocks in a segment leave room for so many segments: until only one number is left.
  auto high = static_cast<std::int64_t>(all) + 1;
  while (low + 1 < high && !prober.spent() &&
         std::ceil(all / static_cast<double>(high)) < std::floor(all / static_cast<double>(low))) {
    const std::int64_t next = std::min((low + high) / 2, 2 * low);
    if (next > longest) break;
    (prober.decide(Question::held_in_stream, next, trial) == Verdict::hit ? low : high) = next;
  }
  // As many segments again as there were for the tests behind.
  read_scattered(prober, kStream, 1, 0);
}

void test_free_blocks(Prober& prober) {
  const Record& record = prober.record();
  if (!caches_reads(record)) return;
  const std::uint32_t track = prober.places().track_blocks();
  const auto size = segment_size(record);
  const double room = size ? size->blocks / 2 : 4;
  const auto before = static_cast<std::int64_t>(
      std::clamp(std::min(track / 4.0, room), 1.0, static_cast<double>(track) / 4));
  prober.decide(Question::free_blocks, 0, [&](std::int64_t key) {
    const auto place = place_for(prober, Kind::any, track);
    if (!place) return false;
    const std::uint64_t lbn = place->first + 3 * place->blocks() / 4;
    // The arm comes from the next track (read-ahead does not go backward) and has 0.85 revolutions
    // for that before the block arrives.
    prober.refresh_angle();
    prober.read(place->last + 1 + place->blocks() / 2);
    prober.rest_until(lbn, until_free_rev(prober), 0.8, 0.9);
    prober.read(lbn);
    prober.probe_now(Question::free_blocks, key, lbn - static_cast<std::uint64_t>(before),
                     setup_of(*place, lbn, 1));
    return true;
  });
}

void test_read_ahead_on_hit(Prober& prober) {
  const Record& record = prober.record();
  const auto count = segment_count(record);
  const std::int64_t reach = reach_blocks(record);
  std::int64_t offset = std::min<std::int64_t>(prober.places().track_blocks() / 3, 3 * reach / 4);
  if (!count || offset < 8) return;
  const auto hit_at_end = [&] {
    // Where one segment is all there is: does a hit on its last block take read-ahead further?
    prober.decide(Question::hit_at_end, 0, [&](std::int64_t key) {
      const auto place = place_for(prober, Kind::starts_cylinder, 2 * reach);
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
  if (!retained(record) || count->settled || count->count < 2) return hit_at_end();
  // How far does read-ahead get before it obeys the next read?
  const Prober::Prepare next_elsewhere =
      [&](std::int64_t farthest) -> std::optional<Prober::Prepared> {
    const auto place = place_for(prober, Kind::starts_cylinder, reach + farthest);
    const auto other = place_for(prober, Kind::any, reach);
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
  if (far == Verdict::hit ||
      prober.decide(Question::cut_short, kAtOnce,
                    prober.trial_of(Question::cut_short, next_elsewhere)) == Verdict::hit)
    prober.locate(Question::cut_short, {kAtOnce, reach + 1, reach + 1, least}, next_elsewhere);
  const auto least_read = cut_short(record);
  if (least_read && least_read->all) return hit_at_end();
  if (least_read && least_read->least_blocks >= offset)
    offset = least_read->least_blocks +
             std::max<std::int64_t>(1, (reach - least_read->least_blocks) / 2);
  const auto trial = [&](std::int64_t x) {
    const auto place = place_for(prober, Kind::starts_cylinder, reach_blocks(record));
    const auto other = place_for(prober, Kind::any, reach_blocks(record));
    if (!place || !other) return false;
    prober.refresh_angle();
    request(prober, place->first, 1);
    prober.read(other->first);                                   // ends read-ahead behind the first
    prober.rest_rev(reading_rev(prober, reach_blocks(record)));  // the drive is idle again
    if (x == 1) prober.context().drive.read(place->first, 1);
    prober.probe(Question::interrupted, x, place->first + static_cast<std::uint64_t>(offset),
                 x == 1 ? 3.0 : 0.0, setup_of(*place, place->first, 1));
    return true;
  };
  if (prober.decide(Question::interrupted, 0, trial) == Verdict::miss)
    prober.decide(Question::interrupted, 1, trial);
}

// Reads of so many blocks from the beginning of tracks, begun at known angles.
void sample_reads(Prober& prober, std::uint32_t blocks) {
  const double finish_rev = until_free_rev(prober);
  const std::uint32_t track = prober.places().track_blocks();
  sample_arrival(prober, Question::whole_track_read, blocks, [&](double ahead_rev) {
    const auto place = place_for(prober, Kind::any, track);
    if (!place) return false;
    prober.refresh_angle();
    prober.read(place->last + 1 + place->blocks() / 2);
    prober.rest_until(place->first, finish_rev, ahead_rev, ahead_rev);
    const double phase = prober.angle_now_rev() - prober.angle_rev(place->first);
    const auto done = prober.read(place->first, std::min(blocks, place->blocks()));
    prober.keep(Question::whole_track_read, place->track.sectors, done, place->first, blocks, false,
                setup_of(*place, place->first, blocks), phase - std::floor(phase));
    return true;
  });
}

void test_zero_latency_read(Prober& prober) {
  const Record& record = prober.record();
  const auto size = segment_size(record);
  const std::uint32_t track = prober.places().track_blocks();
  const std::uint32_t kept = size && !size->only_ahead && size->blocks < track
                                 ? static_cast<std::uint32_t>(size->blocks)
                                 : track;
  const std::uint32_t blocks = std::min(kept, prober.context().drive.most_blocks());
  if (blocks < 4) return;
  const std::uint32_t half = blocks / 2;
  for (int i = 0; i < kBusSamples && retained(record) && !prober.spent(); ++i) {
    const auto place = place_for(prober, Kind::any, track);
    if (!place) return;
    prober.refresh_angle();
    prober.read(place->first, half);
    const auto again = prober.context().drive.read(place->first, half);
    prober.keep(Question::large_hit, half, again, place->first, half, false,
                setup_of(*place, place->first, half));
  }
  if (bus_hides_arrival(record, blocks)) return;
  sample_reads(prober, blocks_that_tell(prober, blocks));
}

void sample_arrival(Prober& prober, Question question, std::uint32_t blocks,
                    const std::function<bool(double ahead_rev)>& sample, int samples) {
  for (int i = 0; i < samples && !prober.spent(); ++i)
    if (!sample((i + 0.5) / samples)) return;
  // A short request is seldom met in its middle by chance.
  const double share = blocks / static_cast<double>(prober.places().track_blocks());
  if (share > kShortRequest) return;
  for (const double phase : telling_phases(arrival_samples(prober.record(), question), share)) {
    if (prober.spent()) return;
    sample(1 - phase);
  }
}

}  // namespace platter::cache_probe

#include "cache_probe/read_tests.h"

#include <algorithm>
#include <cmath>

#include "cache_probe/facts.h"

namespace platter::cache_probe {
namespace {

constexpr int kControls = 12;        // of each kind
constexpr double kEarly_rev = 0.55;  // they were planned to take 0.7 revolutions and more
constexpr std::ptrdiff_t kEarlyAtMost = 2;
constexpr std::int64_t kMostBlocks = 16384;  // of a segment, of read-ahead
constexpr std::int64_t kMostSegments = 512;
constexpr std::int64_t kAlignment = 64;  // blocks; a multiple of what drives round to
constexpr std::uint64_t kRandomTrials = 16;
constexpr int kArrivalSamples = 20, kBusSamples = 4;
constexpr double kGoneBy_rev = 0.05;  // more than a sector, much less than a revolution
constexpr double kSettle_rev = 1.5;   // for read-ahead to begin
constexpr double kSkewShare = 1.3;    // revolutions a track of read-ahead takes, skew included

// Time that reading on for so many blocks takes.
double reading_rev(const Prober& prober, std::int64_t blocks) {
  const double tracks =
      static_cast<double>(blocks) / static_cast<double>(prober.record().setting.track_blocks);
  return kSettle_rev + kSkewShare * tracks;
}

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

std::optional<Place> place_for(Prober& prober, Kind kind, std::int64_t blocks) {
  const std::uint64_t span = static_cast<std::uint64_t>(blocks) + prober.places().track_blocks();
  auto place = prober.places().fresh(kind, span);
  if (!place && kind == Kind::starts_cylinder) place = prober.places().fresh(Kind::any, span);
  return place;
}

// Reads `blocks` from `offset` of a fresh track, lets read-ahead finish, probes x blocks past them.
bool probe_past(Prober& prober, Question question, Kind kind, std::uint32_t offset,
                std::uint32_t blocks, std::int64_t x, std::int64_t key) {
  const auto place = place_for(prober, kind, offset + blocks + std::abs(x));
  if (!place) return false;
  prober.pollute(1);
  std::uint64_t lbn = place->first + std::min(offset, place->blocks() - 1);
  if (question == Question::reach_large) lbn = aligned_start(*place, blocks);
  prober.read(lbn, blocks);
  const std::uint64_t target = lbn + blocks - 1 + static_cast<std::uint64_t>(x);
  if (target >= prober.context().map->blocks()) return false;
  // No longer than it takes to get there: read-ahead that goes on may push the block out again.
  prober.probe(question, key, target, reading_rev(prober, x), setup_of(*place, lbn, blocks));
  return true;
}

}  // namespace

void test_miss_control(Prober& prober) {
  Record& record = prober.record();
  const auto far = [&](std::int64_t x) {
    const auto place = place_for(prober, Kind::any, 0);
    if (!place) return false;
    prober.pollute(1);
    prober.probe(Question::miss_control, x, place->first + place->blocks() / 2, 0);
    return true;
  };
  const auto near = [&](std::int64_t x) {
    const auto place = place_for(prober, Kind::any, 0);
    if (!place || place->first < place->blocks()) return false;
    prober.pollute(1);
    // The angle is planned from the read before, elsewhere, as in most tests.
    prober.context().drive.read(place->first + place->blocks() / 2, 1);
    prober.probe(Question::miss_control, x, place->first - place->blocks() / 2, 0);
    return true;
  };
  for (const bool trusted : {true, false}) {
    record.setting.angles_trusted = trusted;
    std::erase_if(record.observations,
                  [](const Observation& seen) { return seen.question == Question::miss_control; });
    for (int i = 0; i < kControls; ++i) {
      far(0);
      near(1);
    }
    const auto early = std::ranges::count_if(record.observations, [&](const Observation& seen) {
      return seen.question == Question::miss_control &&
             static_cast<double>(seen.response_ns()) < kEarly_rev * prober.period_ns();
    });
    if (early <= kEarlyAtMost) return;
  }
}

void test_basics(Prober& prober) {
  // "Cache discards block after transferring it": a miss would cost a whole revolution.
  prober.decide(Question::reread, 0, [&](std::int64_t x) {
    const auto place = place_for(prober, Kind::any, 0);
    if (!place) return false;
    prober.pollute(1);
    const std::uint64_t lbn = place->first + place->blocks() / 2;
    prober.read(lbn);
    prober.probe_now(Question::reread, x, lbn, setup_of(*place, lbn, 1));
    return true;
  });
  // The next block has just gone by; a drive that has not read it waits a revolution.
  const Verdict at_once = prober.decide(Question::next_block, 0, [&](std::int64_t x) {
    const auto place = place_for(prober, Kind::any, 0);
    if (!place) return false;
    prober.pollute(1);
    const std::uint64_t lbn = place->first + place->blocks() / 3;
    prober.read(lbn);
    prober.rest_rev(kGoneBy_rev);
    prober.probe_now(Question::next_block, x, lbn + 1, setup_of(*place, lbn, 1));
    return true;
  });
  if (at_once == Verdict::hit) return;
  prober.decide(Question::next_block, 1, [&](std::int64_t x) {
    return probe_past(prober, Question::next_block, Kind::any, prober.places().track_blocks() / 3,
                      1, 1, x);
  });
}

void test_read_ahead(Prober& prober) {
  const Record& record = prober.record();
  const std::uint32_t track = prober.places().track_blocks();
  if (reads_ahead(record)) {
    prober.search(Question::reach, 1, most_blocks(prober), 4, [&](std::int64_t x) {
      return probe_past(prober, Question::reach, Kind::starts_cylinder, 0, 1, x, x);
    });
  }
  // It may end at a multiple of some number of blocks: then it goes farthest behind requests that
  // end before such a multiple.
  if (const auto edge = edge_of(record, Question::reach); edge && edge->first_miss) {
    const auto trial = [&](std::int64_t x) {
      const auto place = place_for(prober, Kind::starts_cylinder, x + kAlignment);
      if (!place) return false;
      const std::uint64_t lbn = aligned_start(*place, 1);
      prober.pollute(1);
      prober.read(lbn);
      prober.probe(Question::reach_aligned, x, lbn + static_cast<std::uint64_t>(x),
                   reading_rev(prober, x), setup_of(*place, lbn, 1));
      return true;
    };
    const std::int64_t beyond = edge->last_hit + 1;
    if (edge->mixed || prober.decide(Question::reach_aligned, beyond, trial) == Verdict::hit) {
      prober.search(Question::reach_aligned, std::max<std::int64_t>(1, edge->sure_hit),
                    most_blocks(prober), 2, trial);
    }
  }
  const std::int64_t reach = reach_blocks(record);

  // From a track's middle: as many blocks, or to the same end?
  if (reach > 1) {
    for (const std::int64_t more : {0, 1}) {
      prober.decide(Question::reach_mid, more, [&](std::int64_t key) {
        return probe_past(prober, Question::reach_mid, Kind::any, track / 2, 1, reach + key, key);
      });
    }
    // Behind a larger request: as many blocks, or fewer because the segment is full?
    const auto large = static_cast<std::uint32_t>(std::max<std::int64_t>(2, reach / 4));
    prober.decide(Question::reach_large, 0, [&](std::int64_t key) {
      return probe_past(prober, Question::reach_large, Kind::starts_cylinder, 0, large, reach, key);
    });
  }

  // From the last blocks of a track, or of a cylinder, over its end.
  if (reach > 0) {
    const auto before = static_cast<std::uint32_t>(std::min<std::int64_t>(4, (reach - 1) / 2));
    const std::int64_t over = before + 1 + std::min<std::int64_t>(2, reach - before - 1);
    const auto cross = [&](Question question, Kind kind) {
      prober.decide(question, 0, [&](std::int64_t key) {
        const auto place = place_for(prober, kind, over);
        if (!place || place->blocks() <= before) return false;
        prober.pollute(1);
        const std::uint64_t lbn = place->last - before;
        prober.read(lbn);
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
  const auto sequential = [&](Question question, std::int64_t past, std::int64_t key) {
    const auto place = place_for(prober, Kind::starts_cylinder, 2 * track + past);
    if (!place) return false;
    const auto next = prober.places().place_of_lbn(place->last + 1);
    const auto target = [&] { return next->last + static_cast<std::uint64_t>(past); };
    if (!next || target() >= prober.context().map->blocks()) return false;
    prober.pollute(1);
    const std::uint32_t end = std::min<std::uint32_t>(8, place->blocks());
    prober.read(place->last + 1 - end, end);
    prober.read(next->first, next->blocks());
    prober.probe(question, key, target(), reading_rev(prober, past),
                 setup_of(*next, next->first, next->blocks()));
    return true;
  };
  const auto into_next = [&](std::int64_t key) {
    return sequential(Question::cross_sequential, 3, key);
  };
  if (prober.decide(Question::cross_sequential, 0, into_next) != Verdict::hit) return;
  prober.search(Question::reach_sequential, 3, 4 * track, 4,
                [&](std::int64_t x) { return sequential(Question::reach_sequential, x, x); });
}

void test_segment_size(Prober& prober) {
  const Record& record = prober.record();
  if (!caches_reads(record)) return;
  const std::int64_t most = most_blocks(prober), reach = reach_blocks(record);
  // Read-ahead shall end at the same distance each time: at the end of a track or cylinder from a
  // cylinder's first block, at a multiple of some blocks before such a multiple.
  const bool bounded = judge(record, Question::cross_track, 0).verdict == Verdict::miss ||
                       judge(record, Question::cross_cylinder, 0).verdict == Verdict::miss;
  const auto probe_at = [&](Question question, std::int64_t x, std::int64_t request,
                            std::int64_t offset) {
    const auto place = place_for(prober, bounded ? Kind::starts_cylinder : Kind::any,
                                 request + 2 * reach + kAlignment);
    if (!place) return false;
    prober.pollute(1);
    const std::uint64_t lbn = bounded ? place->first : aligned_start(*place, request);
    prober.read(lbn, static_cast<std::uint32_t>(request));
    prober.probe(question, x, lbn + static_cast<std::uint64_t>(offset),
                 reading_rev(prober, std::max(reach, offset - request)),
                 setup_of(*place, lbn, static_cast<std::uint32_t>(request)));
    return true;
  };

  // Is the first block of a request of x blocks still there when read-ahead is complete?
  const auto first = prober.search(Question::held_first, 1, most, 4, [&](std::int64_t x) {
    return probe_at(Question::held_first, x, x, 0);
  });
  if (first && !first->first_miss) return;

  // What is held of a request that overflows the segment: from where to where.
  const std::int64_t request = first ? std::min(most, 2 * *first->first_miss) : 1;
  std::optional<Edge> upper;
  if (request == 1) {
    upper = edge_of(record, Question::reach_aligned);
    if (!upper || bounded) upper = edge_of(record, Question::reach);
  } else {
    const std::int64_t from = retained(record) ? 0 : 1;
    upper = prober.search(Question::held_upper, from, 2 * reach + 8, 4, [&](std::int64_t x) {
      return probe_at(Question::held_upper, x, request, request - 1 + x);
    });
  }
  if (!upper) return;
  const std::int64_t top = request - 1 + upper->sure_hit;
  prober.search(Question::held_lower, 0, top, 4, [&](std::int64_t x) {
    return probe_at(Question::held_lower, x, request, top - x);
  });
}

std::optional<std::uint64_t> read_scattered(Prober& prober, std::int64_t count,
                                            std::uint32_t blocks, double rest_rev) {
  std::optional<std::uint64_t> first;
  prober.pollute(1);
  const std::int64_t span = std::max<std::int64_t>(blocks, reach_blocks(prober.record()));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto place = place_for(prober, Kind::any, span);
    if (!place) return std::nullopt;
    prober.read(place->first, blocks);
    if (rest_rev > 0) prober.rest_rev(rest_rev);
    if (!first) first = place->first;
  }
  return first;
}

void test_segment_count(Prober& prober) {
  const Record& record = prober.record();
  if (!caches_reads(record)) return;
  const std::int64_t track = prober.places().track_blocks(), reach = reach_blocks(record);
  const auto room = static_cast<std::int64_t>(prober.places().room());
  const std::int64_t most =
      std::clamp<std::int64_t>(room / (3 * (4 * track + reach)), 2, kMostSegments);

  const auto first_of = [&](Question question, std::uint32_t blocks, std::int64_t probed,
                            double rest) {
    return [&prober, question, blocks, probed, rest](std::int64_t x) {
      const auto first = read_scattered(prober, x, blocks, rest);
      if (!first) return false;
      prober.probe(question, x, *first + static_cast<std::uint64_t>(probed), 0,
                   Setup{blocks, 0, 0});
      return true;
    };
  };
  std::optional<Edge> count;
  if (retained(record))
    count = prober.search(Question::segments, 1, most, 2, first_of(Question::segments, 1, 0, 0));
  // Where requested blocks are dropped, or read-ahead pushes them out before the next read is
  // served, a block read ahead tells.
  if (reach > 0 && (!count || count->last_hit == 1)) {
    const std::int64_t probed = std::max<std::int64_t>(1, reach / 2);
    prober.search(Question::segments_settled, 1, most, 2,
                  first_of(Question::segments_settled, 1, probed, reading_rev(prober, reach)));
  }

  // Hits and misses at the same number: random replacement has a pattern of its own over the
  // numbers.
  if (const auto edge = segment_count(record); edge && edge->mixed && !edge->settled) {
    const auto fit =
        fit_random_replacement(tallies_of(record, Question::segments), rates_of(record));
    const auto trial = first_of(Question::segments, 1, 0, 0);
    const double middle = fit ? fit->segments : edge->count;
    for (const double factor : {0.5, 1.0, 1.5, 2.0}) {
      const auto x = std::clamp<std::int64_t>(std::llround(factor * middle), 2, most);
      while (tally_of(record, Question::segments, x).all() < kRandomTrials && !prober.spent())
        if (!trial(x)) break;
    }
  }

  // The same with full segments: a cache that sizes its segments by the load has fewer of them.
  const auto found = segment_count(record);
  const auto size = segment_size(record);
  if (!found || !size || size->only_ahead || found->random || found->count < 2) return;
  const auto held = static_cast<std::int64_t>(std::min(size->blocks - size->error, 4096.0));
  const std::int64_t blocks = std::max<std::int64_t>(1, held - reach);
  const std::int64_t probed = std::max(blocks - 1, std::min(held / 2, blocks - 1 + reach));
  const auto counted = static_cast<std::int64_t>(found->count);
  const auto trial = first_of(Question::segments_full, static_cast<std::uint32_t>(blocks), probed,
                              reach > 0 ? reading_rev(prober, reach) : 0);
  if (prober.decide(Question::segments_full, counted, trial) == Verdict::hit) return;
  prober.search(Question::segments_full, 1, counted, 2, trial);
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
    prober.pollute(1);
    prober.read(place->last + 1 + place->blocks() / 2);
    prober.rest_until(lbn, 0, 0.85);
    prober.read(lbn);
    prober.probe_now(Question::free_blocks, key, lbn - static_cast<std::uint64_t>(before),
                     setup_of(*place, lbn, 1));
    return true;
  });
}

void test_read_ahead_on_hit(Prober& prober) {
  const Record& record = prober.record();
  const auto count = segment_count(record);
  const std::int64_t offset =
      std::min<std::int64_t>(prober.places().track_blocks() / 3, 3 * reach_blocks(record) / 4);
  if (!count || offset < 8) return;
  if (!retained(record) || count->settled || count->count < 2) {
    // Where one segment is all there is: does a hit on its last block take read-ahead further?
    const std::int64_t reach = reach_blocks(record);
    prober.decide(Question::hit_at_end, 0, [&](std::int64_t key) {
      const auto place = place_for(prober, Kind::starts_cylinder, 2 * reach);
      if (!place) return false;
      const std::uint64_t last = place->first + static_cast<std::uint64_t>(reach);
      prober.pollute(1);
      prober.read(place->first);
      prober.rest_rev(reading_rev(prober, reach));
      prober.context().drive.read(last, 1);
      prober.probe(Question::hit_at_end, key, last + 1 + static_cast<std::uint64_t>(reach / 4),
                   reading_rev(prober, reach), setup_of(*place, place->first, 1));
      return true;
    });
    return;
  }
  const auto trial = [&](std::int64_t x) {
    const auto place = place_for(prober, Kind::starts_cylinder, reach_blocks(record));
    const auto other = place_for(prober, Kind::any, reach_blocks(record));
    if (!place || !other) return false;
    prober.pollute(1);
    prober.read(place->first);
    prober.read(other->first);                                   // ends read-ahead behind the first
    prober.rest_rev(reading_rev(prober, reach_blocks(record)));  // the drive is idle again
    if (x == 1) prober.context().drive.read(place->first, 1);
    prober.probe(Question::interrupted, x, place->first + static_cast<std::uint64_t>(offset), 3.0,
                 setup_of(*place, place->first, 1));
    return true;
  };
  if (prober.decide(Question::interrupted, 0, trial) == Verdict::miss)
    prober.decide(Question::interrupted, 1, trial);
}

void test_zero_latency_read(Prober& prober) {
  const Record& record = prober.record();
  const auto size = segment_size(record);
  const std::uint32_t track = prober.places().track_blocks();
  const std::uint32_t blocks = size && !size->only_ahead && size->blocks < track
                                   ? static_cast<std::uint32_t>(size->blocks)
                                   : track;
  if (blocks < 4) return;
  const std::uint32_t half = blocks / 2;
  for (int i = 0; i < kBusSamples && retained(record) && !prober.spent(); ++i) {
    const auto place = place_for(prober, Kind::any, track);
    if (!place) return;
    prober.pollute(1);
    prober.read(place->first, half);
    const auto again = prober.context().drive.read(place->first, half);
    prober.keep(Question::large_hit, half, again, place->first, half, false,
                setup_of(*place, place->first, half));
  }
  for (int i = 0; i < kArrivalSamples && !prober.spent(); ++i) {
    const auto place = place_for(prober, Kind::any, track);
    if (!place) return;
    prober.pollute(1);
    prober.read(place->last + 1 + place->blocks() / 2);
    prober.rest_until(place->first, 0, (i + 0.5) / kArrivalSamples);
    const double phase = prober.angle_now_rev() - prober.angle_rev(place->first);
    const auto done = prober.read(place->first, std::min(blocks, place->blocks()));
    prober.keep(Question::whole_track_read, place->track.sectors, done, place->first, blocks, false,
                setup_of(*place, place->first, blocks), phase - std::floor(phase));
  }
}

}  // namespace platter::cache_probe

// How far is read ahead, over which boundaries, and after which reads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cache_probe/estimator.h"
#include "cache_probe/facts.h"
#include "cache_probe/read_properties.h"
#include "statistics/robust.h"

namespace platter::cache_probe {

namespace {

using model::absent;
using model::Parameter;
using model::ReadAhead;

constexpr std::int64_t kHorizon = 4;  // tracks; as far as most drives read ahead
constexpr std::int64_t kFar = 6;  // tracks; what is read ahead so far is waited for by the drive's
                                  // own pace
constexpr std::int64_t kShortRead = 2, kLongRead = 10;  // tracks
constexpr int kPaces = 3;
constexpr std::int64_t kMostRounding = 64;  // blocks; read-ahead may end at a multiple of them

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

// Which boundary ends read-ahead (DiskSim's "Buffer continuous read").
ReadAhead read_ahead_kind(Estimator& e) {
  const bool sequential = sequential_tracks(e.record());
  if (!reads_ahead(e.record()))
    return sequential ? ReadAhead::to_next_track_if_sequential : ReadAhead::none;
  const bool over_cylinder = e.verdict(Question::cross_cylinder) == Verdict::hit;
  const Verdict track = e.verdict(Question::cross_track);
  // Where surfaces are traversed one by one hardly a track of a cylinder follows another, or none:
  // what few probes say is taken.
  const Tally few = tally_of(e.record(), Question::cross_track, 0);
  const bool over_track = track == Verdict::hit ||
                          (track == Verdict::open &&
                           (few.all() > 0 ? few.fast > few.slow : over_cylinder));
  if (over_track && over_cylinder) {
    if (e.verdict(Question::reach_mid, 0) == Verdict::miss) {
      e.note(
          "read-ahead crosses tracks and cylinders, but goes less far from the middle of a track "
          "than from its beginning: it ends at a boundary that DiskSim has no name for");
    }
    return ReadAhead::to_segment_full;
  }
  if (over_track) return ReadAhead::to_cylinder_end;
  return sequential ? ReadAhead::to_next_track_if_sequential : ReadAhead::to_track_end;
}

// Most blocks that are read ahead, whatever the boundary.
Parameter read_ahead_limit(Estimator& e, ReadAhead kind) {
  auto reach = reach_edge(e.record());
  Question found_by = Question::reach;
  if (!reach && reach_blocks(e.record()) > 0) {
    found_by = Question::reach_end;
    reach = Edge{};
    reach->last_hit = reach->sure_hit = reach_blocks(e.record());
    // Where the block behind it was there too it is no end.
    if (e.verdict(found_by, reach->last_hit + 1) == Verdict::miss)
      reach->first_miss = reach->sure_miss = reach->last_hit + 1;
    reach->samples = tally_of(e.record(), found_by, reach->last_hit).all();
  }
  if (!reach) return absent("blocks are read ahead only in a sequence", kBlocks);
  if (const auto aligned = edge_of(e.record(), Question::reach_aligned);
      aligned && (reach->mixed || aligned->last_hit > reach->last_hit) && !aligned->mixed &&
      aligned->first_miss) {
    // The limit is the farthest that any block was found; the end varies below it.
    std::int64_t farthest = std::max(reach->last_hit, aligned->last_hit);
    for (const Question question : {Question::reach, Question::reach_aligned})
      for (const auto& [x, tally] : tallies_of(e.record(), question))
        if (tally.fast > 0) farthest = std::max(farthest, x);
    const std::int64_t nearest = std::min(reach->sure_hit, aligned->last_hit);
    e.note(fmt::format("read-ahead ends at multiples of several blocks: {} to {} blocks", nearest,
                       farthest));
    reach = aligned;
    reach->last_hit = farthest;
    reach->sure_hit = nearest;
    reach->sure_miss = farthest + 1;
  }
  const auto blocks = static_cast<double>(reach->last_hit);
  const auto size = segment_size(e.record());
  if (!reach->first_miss) {
    return absent(fmt::format("read-ahead goes on beyond the {} blocks that were tried", blocks),
                  kBlocks);
  }
  if (reach->mixed) e.note("read-ahead does not always go as far");
  // Is the end that was found one of the track or of the cylinder?
  const Observation* sample = nullptr;
  for (const Observation& seen : e.record().observations)
    if (seen.question == found_by && seen.x == reach->last_hit) sample = &seen;
  // (Or at the multiple of some blocks before it.)
  const std::int64_t slack = reach->mixed ? kMostRounding : 0;
  const auto ends_at = [&](std::int64_t end) {
    return reach->last_hit <= end && end - reach->last_hit <= slack;
  };
  // Where cylinders are of several lengths: whatever was not there lay behind the end.
  const Responses responses(e.record());
  const auto ends_all = [&](std::int64_t Observation::*end) {
    std::uint64_t missed = 0, before = 0;
    for (const Observation& seen : e.record().observations) {
      if (seen.question != found_by || responses.is_fast(seen)) continue;
      ++missed;
      before += seen.x <= seen.*end ? 1 : 0;
    }
    return missed > 0 && before * kNoiseOneOf < missed;
  };
  const bool to_track = sample &&
                        (ends_at(sample->to_track_end) ||
                         (kind == ReadAhead::to_track_end && ends_all(&Observation::to_track_end)));
  const bool to_cylinder =
      sample && (ends_at(sample->to_cylinder_end) ||
                 (kind == ReadAhead::to_cylinder_end && ends_all(&Observation::to_cylinder_end)));
  if (found_by == Question::reach_end && (to_track || to_cylinder)) {
    return measured(
        0, 0, reach->samples,
        "read-ahead to the end of a track or cylinder, farther than a segment holds: no "
        "limit of its own (0)",
        kBlocks);
  }
  const bool bounded = (kind == ReadAhead::to_track_end && to_track) ||
                       (kind == ReadAhead::to_cylinder_end && to_cylinder) ||
                       (kind == ReadAhead::to_next_track_if_sequential && to_track);
  if (kind == ReadAhead::to_segment_full && e.verdict(Question::reach_large) == Verdict::miss) {
    return measured(0, 0, reach->samples,
                    "read-ahead after small and large requests: it has no limit of its own (0), "
                    "it ends when the segment is full",
                    kBlocks);
  }
  if (!bounded) {
    return measured(blocks, reach->error(), reach->samples,
                    "farthest block found after a one-block read and a pause", kBlocks);
  }
  // A sequence of reads lets read-ahead go past the end, as far as its limit or another end.
  if (const auto sequential = edge_of(e.record(), Question::reach_sequential);
      sequential && sequential->first_miss && !end_of(e.record(), Question::reach_sequential)) {
    return measured(static_cast<double>(sequential->last_hit), sequential->error(),
                    sequential->samples, "farthest block found after two tracks in sequence",
                    kBlocks);
  }
  if (const auto& page = e.record().setting.page;
      page && page->max_prefetch >= blocks && page->max_prefetch < 0xFFFF) {
    return without_error(page->max_prefetch, 0, "mode page 08h, not measured", kBlocks);
  }
  if (!size || size->bound)
    return absent(
        fmt::format("{} blocks and more: read-ahead ends at a boundary before its limit", blocks),
        kBlocks);
  return without_error(
      std::max(blocks, size->blocks), reach->samples,
      fmt::format("the segment's size: read-ahead ends at a boundary after {} blocks, "
                  "before any limit of its own",
                  blocks),
      kBlocks);
}

// May read-ahead push the requested blocks out of their segment.
Parameter over_requested(Estimator& e) {
  if (!retained(e.record())) {
    // Do they make room for what is read ahead?
    const Tally large = tally_of(e.record(), Question::reach_large, 0);
    const bool none = e.cache().read_ahead.or_else(0) ==
                          static_cast<double>(ReadAhead::to_segment_full) &&
                      judge(large).verdict == Verdict::miss;
    return measured(
        none ? 0 : -1, 0, tally_of(e.record(), Question::reread, 0).all() + large.all(),
        none ? "requested blocks are dropped once sent; less is read ahead after longer requests"
             : "requested blocks are dropped once sent");
  }
  const std::string method =
      "first block of a request that fills a segment, read-ahead being complete";
  const Tally one = tally_of(e.record(), Question::held_first, 1);
  if (judge(one).verdict == Verdict::open) return absent(e.missing());
  if (judge(one).verdict == Verdict::miss) return measured(1, 0, one.all(), method);
  const auto size = segment_size(e.record());
  if (!size || size->bound) return absent("no request was found that overflows a segment");
  // A least read-ahead pushes them out, too; but then less is read ahead than behind short
  // requests.
  const auto behind = edge_of(e.record(), Question::held_upper);
  const auto alone = reach_edge(e.record());
  if (e.cache().read_ahead.or_else(0) == static_cast<double>(ReadAhead::to_segment_full) &&
      behind && alone && behind->sure_miss && *behind->sure_miss <= alone->sure_hit) {
    return measured(0, 0, behind->samples + alone->samples,
                    "blocks after a request that fills a segment: fewer than after one block");
  }
  const auto filling = static_cast<std::int64_t>(size->blocks - size->error);
  return e.yes_or_no(Question::held_first, method, std::max<std::int64_t>(1, filling), false);
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
    prober.decide(Question::cross_in_one, 0, [&](std::int64_t key) {
      const auto place = clean_place_for(prober, Kind::starts_cylinder, 3 * track);
      if (!place) return false;
      const auto next = prober.places().place_of_lbn(place->last + 1);
      const auto far = next ? prober.places().place_of_lbn(next->last + 1) : std::nullopt;
      if (!far) return false;
      prober.refresh_angle();
      request(prober, place->last - 3, 8);
      prober.probe(Question::cross_in_one, key, far->last, reading_rev(prober, 2 * track),
                   setup_of(*next, next->first + 3, 8));
      return true;
    });
    // Or the ends of two tracks, where a segment is shorter than a track.
    if (!sequential_tracks(record)) {
      prober.decide(Question::cross_ends, 0, [&](std::int64_t key) {
        const auto place = clean_place_for(prober, Kind::starts_cylinder, 3 * track);
        const auto next = place ? prober.places().place_of_lbn(place->last + 1) : std::nullopt;
        if (!next) return false;
        const std::uint32_t end = std::min<std::uint32_t>(8, next->blocks());
        prober.refresh_angle();
        request(prober, place->last + 1 - end, end);
        prober.rest_rev(kSettle_rev);
        prober.read(next->last + 1 - end, end);
        prober.probe(Question::cross_ends, key, next->last + 3, kSettle_rev,
                     setup_of(*next, next->last + 1 - end, end));
        return true;
      });
    }
    return;
  }
  prober.locate(Question::reach_sequential, {3, 4 * track, 2 * track, ends}, sequential);
}

void estimate_read_ahead(Estimator& e) {
  model::Cache& c = e.cache();
  // The caching page has these apart from the limit in blocks; probes see where read-ahead ends.
  c.read_ahead_by_request = absent("not tested: the read-ahead limit was measured in blocks");
  c.read_ahead_ceiling_blocks = c.read_ahead_longest_request_blocks = absent("not tested", kBlocks);
  if (!reads_ahead(e.record()) && e.next_block().verdict == Verdict::open) {
    c.read_ahead = c.read_ahead_over_requested = c.read_ahead_after_sequential =
        absent(e.missing());
    c.read_ahead_max_blocks = absent(e.missing(), kBlocks);
    return;
  }
  const ReadAhead kind = read_ahead_kind(e);
  c.read_ahead = measured(static_cast<double>(kind), e.next_block().error,
                          tally_of(e.record(), Question::next_block, 0).all() +
                              tally_of(e.record(), Question::next_block_later, 0).all() +
                              tally_of(e.record(), Question::cross_track, 0).all() +
                              tally_of(e.record(), Question::cross_cylinder, 0).all() +
                              tally_of(e.record(), Question::cross_sequential, 0).all(),
                          "blocks after reads near the ends of tracks and cylinders");
  if (kind == ReadAhead::none) {
    const std::string reason = e.without_read_ahead();
    c.read_ahead_max_blocks = absent(reason, kBlocks);
    c.read_ahead_over_requested = c.read_ahead_after_sequential = absent(reason);
    return;
  }
  c.read_ahead_max_blocks = read_ahead_limit(e, kind);
  c.read_ahead_over_requested = over_requested(e);
  const auto begun = [&](bool yes) {
    return measured(yes ? 1 : 0, e.next_block().error,
                    tally_of(e.record(), Question::next_block, 0).all() +
                        tally_of(e.record(), Question::next_sequential, 0).all(),
                    "a block after single reads, and after sequential reads");
  };
  c.read_ahead_after_sequential = begun(after_sequential(e.record()));
}

}  // namespace platter::cache_probe

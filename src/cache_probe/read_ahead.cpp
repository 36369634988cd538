// How far is read ahead, over which boundaries, and after which reads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cache_probe/estimator.h"
#include "cache_probe/facts.h"
#include "cache_probe/read_properties.h"
#include "model/known.h"
#include "statistics/robust.h"

namespace platter::cache_probe {

namespace {

constexpr const char* kEndsBefore = "read-ahead ends at a boundary before its limit";

using model::absent;
using model::Parameter;
using model::ReadAhead;

// Chosen: as far as the drives of docs/validation.md read ahead, and a little more.
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

// How likely it is that so many blocks from anywhere lie over the end of one of so many tracks in a
// row, at least, if a track is as long as the measure of distances.
double over_an_end(const Record& record, std::int64_t blocks, double tracks) {
  constexpr double kSure = 0.999;
  return std::min(kSure, static_cast<double>(blocks) / (tracks * record.setting.track_blocks));
}

constexpr double kChance = 1e-3;

// That read-ahead from all these places went as far, and over no end of a track or cylinder.
double chance_of_no_end(const Estimator& e, std::int64_t blocks, double tracks) {
  const auto places = static_cast<double>(tally_of(e.record(), Question::reach_mid, 0).all());
  return std::pow(1 - over_an_end(e.record(), blocks, tracks), places);
}

// Which boundary ends read-ahead (DiskSim's "Buffer continuous read").
ReadAhead read_ahead_kind(Estimator& e) {
  if (!e.record().setting.map_known && reads_ahead(e.record())) return ReadAhead::to_segment_full;
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

// How far blocks were found, and by which question.
struct Reach {
  Edge edge;
  Question found_by = Question::reach;
};
std::optional<Reach> reach_of(const Record& record) {
  if (const auto edge = reach_edge(record)) return Reach{*edge};
  if (reach_blocks(record) == 0) return std::nullopt;
  Reach reach{{}, Question::reach_end};
  reach.edge.last_hit = reach.edge.sure_hit = reach_blocks(record);
  // Where the next block was there too it is no end.
  if (judge(record, Question::reach_end, reach.edge.last_hit + 1).verdict == Verdict::miss)
    reach.edge.first_miss = reach.edge.sure_miss = reach.edge.last_hit + 1;
  reach.edge.samples = tally_of(record, Question::reach_end, reach.edge.last_hit).all();
  return reach;
}

// Where read-ahead ends at multiples of several blocks: the limit is the farthest that any block
// was found; the end varies below it.
void take_farthest_multiple(Estimator& e, Reach& reach) {
  const auto aligned = edge_of(e.record(), Question::reach_aligned);
  if (!aligned || aligned->mixed || !aligned->first_miss ||
      !(reach.edge.mixed || aligned->last_hit > reach.edge.last_hit))
    return;
  std::int64_t farthest = std::max(reach.edge.last_hit, aligned->last_hit);
  for (const Question question : {Question::reach, Question::reach_aligned})
    for (const auto& [x, tally] : tallies_of(e.record(), question))
      if (tally.fast > 0) farthest = std::max(farthest, x);
  const std::int64_t nearest = std::min(reach.edge.sure_hit, aligned->last_hit);
  e.note(fmt::format("read-ahead ends at multiples of several blocks: {} to {} blocks", nearest,
                     farthest));
  reach.edge = *aligned;
  reach.edge.last_hit = farthest;
  reach.edge.sure_hit = nearest;
  reach.edge.sure_miss = farthest + 1;
}

// Whether the end that was found is one of the track or of the cylinder, or at the multiple of some
// blocks before it. Where these are of several lengths: whatever was not there lay past the end.
bool ends_with(const Record& record, const Reach& reach, End end, bool several_lengths) {
  const Observation* sample = nullptr;
  for (const Observation& seen : record.observations)
    if (seen.question == reach.found_by && seen.x == reach.edge.last_hit) sample = &seen;
  if (!sample) return false;
  const std::int64_t slack = reach.edge.mixed ? kMostRounding : 0;
  const std::int64_t left = sample->*end - reach.edge.last_hit;
  if (left >= 0 && left <= slack) return true;
  if (!several_lengths) return false;
  const Responses responses(record);
  std::uint64_t missed = 0, before = 0;
  for (const Observation& seen : record.observations) {
    if (seen.question != reach.found_by || responses.is_fast(seen)) continue;
    ++missed;
    before += seen.x <= seen.*end ? 1 : 0;
  }
  return missed > 0 && before * kNoiseOneOf < missed;
}

// A boundary ends read-ahead before any limit of its own: what a sequence of reads shows, which
// lets it go past the end, else what the page says, else the segment's size.
Parameter limit_past_boundary(Estimator& e, double blocks, std::uint64_t samples) {
  if (const auto sequential = edge_of(e.record(), Question::reach_sequential);
      sequential && sequential->first_miss && !end_of(e.record(), Question::reach_sequential)) {
    return measured(static_cast<double>(sequential->last_hit), sequential->error(),
                    sequential->samples, "farthest block found after two tracks in sequence",
                    kBlocks);
  }
  if (const auto& page = e.record().setting.page;
      page && page->max_prefetch >= blocks && page->max_prefetch < 0xFFFF) {
    Parameter limit = model::at_least(blocks, kEndsBefore, kBlocks);
    e.guess_by_page(limit, &scsi::CachePage::max_prefetch);
    return limit;
  }
  const auto size = segment_size(e.record());
  if (!size || size->bound) return model::at_least(blocks, kEndsBefore, kBlocks);
  return without_error(
      std::max(blocks, size->blocks), samples,
      fmt::format("the segment's size: read-ahead ends at a boundary after {} blocks, before any "
                  "limit of its own",
                  blocks),
      kBlocks);
}

// Most blocks that are read ahead, whatever the boundary.
Parameter read_ahead_limit(Estimator& e, ReadAhead kind) {
  const Record& record = e.record();
  auto reach = reach_of(record);
  if (!reach) return absent("blocks are read ahead only in a sequence", kBlocks);
  take_farthest_multiple(e, *reach);
  const auto blocks = static_cast<double>(reach->edge.last_hit);
  const std::uint64_t samples = reach->edge.samples;
  if (!reach->edge.first_miss)
    return model::at_least(blocks, "read-ahead goes on beyond what was tried", kBlocks);
  if (reach->edge.mixed) e.note({model::Code::cache_mixed, "read-ahead does not always go as far"});
  const bool to_track = ends_with(record, *reach, &Observation::to_track_end,
                                  kind == ReadAhead::to_track_end);
  const bool to_cylinder = ends_with(record, *reach, &Observation::to_cylinder_end,
                                     kind == ReadAhead::to_cylinder_end);
  if (reach->found_by == Question::reach_end && (to_track || to_cylinder))
    return measured(
        0, 0, samples,
        "read-ahead to the end of a track or cylinder, farther than a segment holds: no limit of "
        "its own (0)",
        kBlocks);
  if (kind == ReadAhead::to_segment_full && e.verdict(Question::reach_large) == Verdict::miss)
    return measured(0, 0, samples,
                    "read-ahead after small and large requests: it has no limit of its own (0), it "
                    "ends when the segment is full",
                    kBlocks);
  const bool bounded = (kind == ReadAhead::to_track_end && to_track) ||
                       (kind == ReadAhead::to_cylinder_end && to_cylinder) ||
                       (kind == ReadAhead::to_next_track_if_sequential && to_track);
  if (!bounded)
    return measured(blocks, reach->edge.error(), samples,
                    "farthest block found after a one-block read and a pause", kBlocks);
  return limit_past_boundary(e, blocks, samples);
}

// May read-ahead push the requested blocks out of their segment.
Parameter over_requested(Estimator& e) {
  if (!retained(e.record())) {
    // Do they make room for what is read ahead?
    const Tally large = tally_of(e.record(), Question::reach_large, 0);
    const bool none = e.cache().read_ahead.value ==
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
  if (e.cache().read_ahead.value == static_cast<double>(ReadAhead::to_segment_full) && behind &&
      alone && behind->sure_miss && *behind->sure_miss <= alone->sure_hit) {
    return measured(0, 0, behind->samples + alone->samples,
                    "blocks after a request that fills a segment: fewer than after one block");
  }
  const auto filling = static_cast<std::int64_t>(size->blocks - size->error);
  return e.yes_or_no(Question::held_first, method, std::max<std::int64_t>(1, filling), false);
}

// Where the mode page, or the end of a track, lets read-ahead end; the page may be wrong.
std::vector<std::int64_t> expected_ends(const Prober& prober) {
  std::vector<std::int64_t> ends = expected(prober, &scsi::CachePage::max_prefetch);
  for (const std::int64_t end : expected(prober, &scsi::CachePage::segment_blocks))
    ends.push_back(end);
  ends.push_back(prober.places().track_blocks() - 1);
  return ends;
}

// From a cylinder's first block.
void how_far(Prober& prober) {
  const Record& record = prober.record();
  const std::uint32_t track = prober.places().track_blocks();
  if (!reads_ahead(record)) return;
  const std::vector<std::int64_t> ends = expected_ends(prober);
  if (*std::ranges::max_element(ends) > kFar * track) learn_pace(prober);
  prober.locate(Question::reach,
                {.from = 1,
                 .limit = most_blocks(prober),
                 .horizon = kHorizon * track,
                 .guesses = ends,
                 .overrun = Question::reach_overrun},
                past(prober, {.kind = Kind::starts_cylinder}));
}

// Read-ahead may push out what it read first; then what it ends at tells how far it goes.
void which_end(Prober& prober) {
  const Record& record = prober.record();
  const std::uint32_t track = prober.places().track_blocks();
  if (!reads_ahead(record) || reach_blocks(record) != 0 || !record.setting.map_known) return;
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

// It may end at a multiple of some number of blocks: then it goes farthest after requests that end
// before such a multiple.
void how_far_aligned(Prober& prober) {
  const auto edge = reach_edge(prober.record());
  if (!edge || !edge->first_miss) return;
  const Prober::Prepare prepare = past(prober, {.kind = Kind::starts_cylinder, .aligned = true});
  const std::int64_t beyond = edge->last_hit + 1;
  const Prober::Trial trial = prober.trial_of(Question::reach_aligned, prepare);
  if (edge->mixed || prober.decide(Question::reach_aligned, beyond, trial) == Verdict::hit) {
    prober.search(Question::reach_aligned, std::max<std::int64_t>(1, edge->sure_hit),
                  most_blocks(prober), 2, trial);
  }
}

// Where no map tells ends: as many blocks, and no more, from places all over, or there are ends
// that bound it. What lies behind an end by chance once or twice does not so often.
void as_far_from_anywhere_else(Prober& prober, std::int64_t reach) {
  constexpr double kFewest = 12, kMost = 40;
  const auto places = static_cast<std::uint64_t>(std::clamp(
      std::log(kChance) / std::log(1 - over_an_end(prober.record(), reach, 1)), kFewest, kMost));
  std::uniform_int_distribution<std::uint32_t> offset(0, prober.places().track_blocks() - 1);
  for (const std::int64_t beyond : {0, 1}) {
    const Question question = beyond == 0 ? Question::reach_mid : Question::reach;
    const std::int64_t key = beyond == 0 ? 0 : reach + beyond;
    const std::int64_t probed = beyond == 0 ? reach - rounding(prober)
                                            : reach + 1 + rounding(prober);
    const Verdict found = prober.decide(
        question, key,
        [&](std::int64_t x) {
          const auto prepared = past(prober, {.offset = offset(prober.context().random)})(probed);
          if (!prepared) return false;
          prober.probe(question, x, prepared->target(probed), prepared->least_rev, prepared->setup);
          return true;
        },
        places);
    if (found != (beyond == 0 ? Verdict::hit : Verdict::miss)) return;
  }
}

// From a track's middle: as many blocks, or to the same end? After a larger request: as many, or
// fewer because the segment is full?
void as_far_from_elsewhere(Prober& prober) {
  const std::int64_t reach = reach_blocks(prober.record());
  if (reach <= 1) return;
  if (prober.record().setting.map_known)
    decide_past(prober, Question::reach_mid, 0, reach - rounding(prober),
                {.offset = prober.places().track_blocks() / 2});
  else
    as_far_from_anywhere_else(prober, reach);
  const auto large = static_cast<std::uint32_t>(std::max<std::int64_t>(2, reach / 4));
  decide_past(prober, Question::reach_large, 0, reach - rounding(prober),
              {.kind = Kind::starts_cylinder, .blocks = large, .aligned = true});
}

// From the last blocks of a track, or of a cylinder, over its end.
void over_ends(Prober& prober) {
  const Record& record = prober.record();
  const std::uint32_t track = prober.places().track_blocks();
  const std::int64_t reach = reach_blocks(record);
  if (reach <= 0) return;
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
      prober.probe(question, key, lbn + static_cast<std::uint64_t>(over), reading_rev(prober, over),
                   setup_of(*place, lbn, 1));
      return true;
    });
  };
  cross(Question::cross_track, Kind::before_end);
  cross(Question::cross_cylinder, Kind::ends_cylinder);
}

// The end of one track, then all of the next one; probes are counted from its end.
std::optional<Prober::Prepared> after_two_tracks(Prober& prober, std::int64_t farthest) {
  const std::uint32_t track = prober.places().track_blocks();
  const auto place = clean_place_for(prober, Kind::starts_cylinder, 2 * track + farthest);
  if (!place) return std::nullopt;
  const auto next = prober.places().place_of_lbn(place->last + 1);
  if (!next || next->last + static_cast<std::uint64_t>(farthest) >= prober.context().map->blocks())
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
}

// Where one request goes over the end of a track: to the end of the next one.
void over_end_in_one(Prober& prober) {
  const std::uint32_t track = prober.places().track_blocks();
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
}

// The ends of two tracks, where a segment is shorter than a track.
void over_two_ends(Prober& prober) {
  const std::uint32_t track = prober.places().track_blocks();
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

// Paper, section 4.3.3, "Track prefetching algorithm": whether reads of two tracks in sequence let
// read-ahead go into the next one, and how far.
void into_next_track(Prober& prober) {
  const Record& record = prober.record();
  if (judge(record, Question::cross_track, 0).verdict == Verdict::hit) return;
  const Verdict into_next = prober.decide(Question::cross_sequential, 0, [&](std::int64_t x) {
    const auto prepared = after_two_tracks(prober, 3);
    if (!prepared) return false;
    prober.probe(Question::cross_sequential, x, prepared->target(3), prepared->least_rev,
                 prepared->setup);
    return true;
  });
  if (into_next != Verdict::hit) {
    over_end_in_one(prober);
    if (!sequential_tracks(record)) over_two_ends(prober);
    return;
  }
  const std::uint32_t track = prober.places().track_blocks();
  prober.locate(Question::reach_sequential, {3, 4 * track, 2 * track, expected_ends(prober)},
                [&](std::int64_t farthest) { return after_two_tracks(prober, farthest); });
}

}  // namespace

void test_read_ahead(Prober& prober) {
  how_far(prober);
  which_end(prober);
  how_far_aligned(prober);
  as_far_from_elsewhere(prober);
  if (!prober.record().setting.map_known) return;
  over_ends(prober);
  into_next_track(prober);
}

namespace {

// Without a map nobody knows where tracks and cylinders end. False: nothing can be said of the
// limit.
bool without_map(Estimator& e) {
  model::Cache& c = e.cache();
  // Chosen: a drive of as many heads is no rare one.
  constexpr double kHeads = 8, kSure = 0.01;
  const std::int64_t reach = reach_blocks(e.record());
  c.read_ahead.method =
      "blocks after reads anywhere, as far behind each; the error is the chance that a "
      "cylinder's end bounds it";
  c.read_ahead.error = std::max(c.read_ahead.error.value_or(0), chance_of_no_end(e, reach, kHeads));
  if (const double chance = chance_of_no_end(e, reach, 1); chance > kSure && c.read_ahead) {
    const double seen = *c.read_ahead.value;
    c.read_ahead = absent(
        "so few blocks are read ahead that none of the places lay near the end of a track for "
        "sure, which a map would tell");
    model::add_guess(c.read_ahead, {seen, 1 - chance, "no place at which it ended was found"});
  }
  if (!goes_as_far_from_anywhere(e.record())) {
    const char* const why =
        "blocks are read ahead, now farther and now less far, as where the ends of tracks or "
        "cylinders bound it, which a map would tell";
    c.read_ahead = c.read_ahead_over_requested = absent(why);
    c.read_ahead_max_blocks = absent(why, kBlocks);
    return false;
  }
  return true;
}

}  // namespace

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
  if (!e.record().setting.map_known && !without_map(e)) return;
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

// How far is read ahead, over which boundaries, and what breaks it off.
#include <fmt/format.h>

#include <algorithm>

#include "cache_probe/estimator.h"

namespace platter::cache_probe {

using model::absent;
using model::Parameter;
using model::ReadAhead;

namespace {

constexpr std::int64_t kMostRounding = 64;  // blocks; read-ahead may end at a multiple of them

}  // namespace

// Which boundary ends read-ahead (DiskSim's "Buffer continuous read").
ReadAhead Estimator::read_ahead_kind() {
  const bool sequential = sequential_tracks(record_);
  if (!reads_ahead(record_))
    return sequential ? ReadAhead::to_next_track_if_sequential : ReadAhead::none;
  const bool over_cylinder = verdict(Question::cross_cylinder) == Verdict::hit;
  const Verdict track = verdict(Question::cross_track);
  // Where surfaces are traversed one by one hardly a track of a cylinder follows another, or none:
  // what few probes say is taken.
  const Tally few = tally_of(record_, Question::cross_track, 0);
  const bool over_track = track == Verdict::hit ||
                          (track == Verdict::open &&
                           (few.all() > 0 ? few.fast > few.slow : over_cylinder));
  if (over_track && over_cylinder) {
    if (verdict(Question::reach_mid, 0) == Verdict::miss) {
      note(
          "read-ahead crosses tracks and cylinders, but goes less far from the middle of a track "
          "than from its beginning: it ends at a boundary that DiskSim has no name for");
    }
    return ReadAhead::to_segment_full;
  }
  if (over_track) return ReadAhead::to_cylinder_end;
  return sequential ? ReadAhead::to_next_track_if_sequential : ReadAhead::to_track_end;
}

// Most blocks that are read ahead, whatever the boundary.
Parameter Estimator::read_ahead_limit(ReadAhead kind) {
  auto reach = reach_edge(record_);
  Question found_by = Question::reach;
  if (!reach && reach_blocks(record_) > 0) {
    found_by = Question::reach_end;
    reach = Edge{};
    reach->last_hit = reach->sure_hit = reach_blocks(record_);
    // Where the block behind it was there too it is no end.
    if (verdict(found_by, reach->last_hit + 1) == Verdict::miss)
      reach->first_miss = reach->sure_miss = reach->last_hit + 1;
    reach->samples = tally_of(record_, found_by, reach->last_hit).all();
  }
  if (!reach) return absent("blocks are read ahead only in a sequence", kBlocks);
  if (const auto aligned = edge_of(record_, Question::reach_aligned);
      aligned && (reach->mixed || aligned->last_hit > reach->last_hit) && !aligned->mixed &&
      aligned->first_miss) {
    // The limit is the farthest that any block was found; the end varies below it.
    std::int64_t farthest = std::max(reach->last_hit, aligned->last_hit);
    for (const Question question : {Question::reach, Question::reach_aligned})
      for (const auto& [x, tally] : tallies_of(record_, question))
        if (tally.fast > 0) farthest = std::max(farthest, x);
    const std::int64_t nearest = std::min(reach->sure_hit, aligned->last_hit);
    note(fmt::format("read-ahead ends at multiples of several blocks: {} to {} blocks", nearest,
                     farthest));
    reach = aligned;
    reach->last_hit = farthest;
    reach->sure_hit = nearest;
    reach->sure_miss = farthest + 1;
  }
  const auto blocks = static_cast<double>(reach->last_hit);
  const auto size = segment_size(record_);
  if (!reach->first_miss) {
    return absent(fmt::format("read-ahead goes on beyond the {} blocks that were tried", blocks),
                  kBlocks);
  }
  if (reach->mixed) note("read-ahead does not always go as far");
  // Is the end that was found one of the track or of the cylinder?
  const Observation* sample = nullptr;
  for (const Observation& seen : record_.observations)
    if (seen.question == found_by && seen.x == reach->last_hit) sample = &seen;
  // (Or at the multiple of some blocks before it.)
  const std::int64_t slack = reach->mixed ? kMostRounding : 0;
  const auto ends_at = [&](std::int64_t end) {
    return reach->last_hit <= end && end - reach->last_hit <= slack;
  };
  // Where cylinders are of several lengths: whatever was not there lay behind the end.
  const Responses responses(record_);
  const auto ends_all = [&](std::int64_t Observation::*end) {
    std::uint64_t missed = 0, before = 0;
    for (const Observation& seen : record_.observations) {
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
  if (kind == ReadAhead::to_segment_full && verdict(Question::reach_large) == Verdict::miss) {
    return measured(0, 0, reach->samples,
                    "read-ahead behind small and large requests: it has no limit of its own (0), "
                    "it ends when the segment is full",
                    kBlocks);
  }
  if (!bounded) {
    return measured(blocks, reach->error(), reach->samples,
                    "farthest block found after a one-block read and a pause", kBlocks);
  }
  // A sequence of reads lets read-ahead go past the end, as far as its limit or another end.
  if (const auto sequential = edge_of(record_, Question::reach_sequential);
      sequential && sequential->first_miss && !end_of(record_, Question::reach_sequential)) {
    return measured(static_cast<double>(sequential->last_hit), sequential->error(),
                    sequential->samples, "farthest block found after two tracks in sequence",
                    kBlocks);
  }
  if (const auto& page = record_.setting.page;
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
Parameter Estimator::over_requested() {
  if (!retained(record_)) {
    // Do they make room for what is read ahead?
    const Tally large = tally_of(record_, Question::reach_large, 0);
    const bool none = cache().read_ahead.or_else(0) ==
                          static_cast<double>(ReadAhead::to_segment_full) &&
                      judge(large).verdict == Verdict::miss;
    return measured(
        none ? 0 : -1, 0, tally_of(record_, Question::reread, 0).all() + large.all(),
        none ? "requested blocks are dropped once sent; behind longer requests less is read ahead"
             : "requested blocks are dropped once sent");
  }
  const std::string method =
      "first block of a request that fills a segment, read-ahead being complete";
  const Tally one = tally_of(record_, Question::held_first, 1);
  if (judge(one).verdict == Verdict::open) return absent(missing());
  if (judge(one).verdict == Verdict::miss) return measured(1, 0, one.all(), method);
  const auto size = segment_size(record_);
  if (!size || size->bound) return absent("no request was found that overflows a segment");
  // A least read-ahead pushes them out, too; but then less is read ahead than behind short
  // requests.
  const auto behind = edge_of(record_, Question::held_upper);
  const auto alone = reach_edge(record_);
  if (cache().read_ahead.or_else(0) == static_cast<double>(ReadAhead::to_segment_full) && behind &&
      alone && behind->sure_miss && *behind->sure_miss <= alone->sure_hit) {
    return measured(0, 0, behind->samples + alone->samples,
                    "blocks behind a request that fills a segment: fewer than behind one block");
  }
  const auto filling = static_cast<std::int64_t>(size->blocks - size->error);
  return yes_or_no(Question::held_first, method, std::max<std::int64_t>(1, filling), false);
}

void Estimator::read_ahead() {
  model::Cache& c = cache();
  const std::string dead = caches_reads(record_) ? "" : "reads are not cached";
  const bool ahead = reads_ahead(record_);
  if (!ahead && next_block().verdict == Verdict::open) {
    c.read_ahead = c.read_ahead_over_requested = c.read_ahead_on_hit = absent(missing());
    c.read_ahead_after_sequential = c.read_ahead_abort = c.read_ahead_resumes = absent(missing());
    c.read_ahead_max_blocks = c.read_ahead_min_blocks = absent(missing(), kBlocks);
    return;
  }
  const ReadAhead kind = read_ahead_kind();
  c.read_ahead = measured(static_cast<double>(kind), next_block().error,
                          tally_of(record_, Question::next_block, 0).all() +
                              tally_of(record_, Question::next_block, 1).all() +
                              tally_of(record_, Question::cross_track, 0).all() +
                              tally_of(record_, Question::cross_cylinder, 0).all() +
                              tally_of(record_, Question::cross_sequential, 0).all(),
                          "blocks behind reads near the ends of tracks and cylinders");
  if (kind == ReadAhead::none) {
    const std::string reason = dead.empty() ? "there is no read-ahead" : dead;
    c.read_ahead_max_blocks = c.read_ahead_min_blocks = absent(reason, kBlocks);
    c.read_ahead_over_requested = c.read_ahead_on_hit = c.read_ahead_after_sequential =
        c.read_ahead_abort = c.read_ahead_resumes = absent(reason);
    return;
  }
  c.read_ahead_max_blocks = read_ahead_limit(kind);
  c.read_ahead_over_requested = over_requested();
  const auto begun = [&](bool yes) {
    return measured(yes ? 1 : 0, next_block().error,
                    tally_of(record_, Question::next_block, 0).all() +
                        tally_of(record_, Question::next_sequential, 0).all(),
                    "a block behind single reads, and behind reads that carry on");
  };
  c.read_ahead_after_sequential = begun(after_sequential(record_));
  const auto broken_off = cut_short(record_);
  const auto count = segment_count(record_);
  const bool two = retained(record_) && count && !count->settled &&
                   count->count - count->error >= 2;
  const std::string few =
      !record_.setting.complete ? missing()
      : two ? "all that is read ahead passes under the heads before the next command is obeyed"
            : "it takes two segments that keep requested blocks to tell";
  if (!broken_off) {
    c.read_ahead_min_blocks = absent(few, kBlocks);
    c.read_ahead_abort = c.read_ahead_resumes = absent(few);
  } else {
    const std::string method = "blocks behind a read, right after the next read elsewhere";
    c.read_ahead_abort = measured(broken_off->all ? 0 : 1, 0, broken_off->samples, method);
    if (broken_off->all) {
      c.read_ahead_min_blocks = absent("the next command waits until all has been read", kBlocks);
      c.read_ahead_resumes = absent("read-ahead is not broken off");
    } else {
      c.read_ahead_min_blocks = measured(static_cast<double>(broken_off->least_blocks),
                                         broken_off->error, broken_off->samples, method, kBlocks);
      c.read_ahead_resumes = yes_or_no(Question::interrupted,
                                       "what was broken off, once the drive was idle", 0);
    }
  }
  const Tally idle = tally_of(record_, Question::interrupted, 0);
  const Tally at_end = tally_of(record_, Question::hit_at_end, 0);
  if (judge(idle).verdict == Verdict::hit) {
    c.read_ahead_on_hit = absent("read-ahead goes on whatever the next read is");
  } else if (idle.all() > 0) {
    c.read_ahead_on_hit = yes_or_no(Question::interrupted,
                                    "a hit on a segment whose read-ahead was cut short", 1);
  } else if (at_end.all() > 0 && kind == ReadAhead::to_segment_full) {
    c.read_ahead_on_hit = yes_or_no(Question::hit_at_end,
                                    "a hit on the last block of completed read-ahead");
  } else {
    c.read_ahead_on_hit = absent(few);
  }
}

}  // namespace platter::cache_probe

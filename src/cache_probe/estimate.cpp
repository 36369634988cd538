#include "cache_probe/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cache_probe/arrival_fit.h"
#include "cache_probe/facts.h"
#include "cache_probe/waiting_data.h"
#include "model/parameters.h"

namespace platter::cache_probe {
namespace {

using model::absent;
using model::Parameter;
using model::ReadAhead;

constexpr const char* kNotWritten = "writes were not allowed (--allow-writes)";
constexpr const char* kHidden =
    "the bus is about as slow as the media or slower, so the order of access does not show";
constexpr std::int64_t kMostRounding = 64;  // blocks; read-ahead may end at a multiple of them
constexpr const char* kBlocks = "blocks";

Parameter measured(double value, double error, std::uint64_t samples, std::string method,
                   std::string unit = "") {
  Parameter parameter;
  parameter.value = value;
  parameter.error = error;
  parameter.samples = samples;
  parameter.method = std::move(method);
  parameter.unit = std::move(unit);
  return parameter;
}

// Of what is counted: a median between two counts is rounded, and the error covers both.
Parameter counted(double value, double error, std::uint64_t samples, std::string method,
                  std::string unit = "") {
  const double whole = std::round(value);
  if (whole != value) error += 0.5;
  return measured(whole, error, samples, std::move(method), std::move(unit));
}

class Estimator {
 public:
  explicit Estimator(const Record& record) : record_(record) {}

  Estimate all() {
    read_facts();
    read_ahead();
    segments();
    arrival();
    writes();
    not_observed();
    mode_page();
    return std::move(result_);
  }

 private:
  model::Cache& cache() { return result_.cache; }
  Verdict verdict(Question question, std::int64_t x = 0) const {
    return judge(record_, question, x).verdict;
  }
  // At once, or else after a pause.
  Judgement next_block() const {
    const Judgement at_once = judge(record_, Question::next_block, 0);
    if (after_sequential(record_)) return judge(record_, Question::next_sequential, 0);
    return at_once.verdict == Verdict::hit ? at_once : judge(record_, Question::next_block, 1);
  }
  void note(std::string text) { result_.notes.push_back(std::move(text)); }
  std::string missing() const {
    return record_.setting.complete ? "the probes did not decide it"
                                    : "the budget for cache tests was used up before";
  }

  // 1 if the probes hit, 0 if they miss; both sometimes: the share that hits.
  Parameter yes_or_no(Question question, std::string method, std::int64_t x = 0,
                      bool hit_means_yes = true) {
    const Tally tally = tally_of(record_, question, x);
    const Judgement judgement = judge(tally);
    if (judgement.verdict == Verdict::open) return absent(missing());
    if (judgement.verdict == Verdict::mixed) {
      note(fmt::format("{}: {} of {} probes hit, the rest did not", name_of(question), tally.fast,
                       tally.all()));
      const bool more_hits = 2 * tally.fast >= tally.all();
      return measured(more_hits == hit_means_yes ? 1 : 0, 0.5, tally.all(), std::move(method));
    }
    const bool hit = judgement.verdict == Verdict::hit;
    return measured(hit == hit_means_yes ? 1 : 0, judgement.error, tally.all(), std::move(method));
  }

  void read_facts();
  void read_ahead();
  ReadAhead read_ahead_kind();
  Parameter read_ahead_limit(ReadAhead kind);
  Parameter over_requested();
  void segments();
  void count_segments();
  void replacement();
  void adaptivity();
  void arrival();
  Parameter on_arrival(Question question, const std::string& method);
  void writes();
  void write_segments();
  void destaging();
  void writes_not_allowed();
  void not_observed();
  void mode_page();

  const Record& record_;
  Estimate result_;
};

void Estimator::read_facts() {
  const bool cached = caches_reads(record_);
  const Judgement again = judge(record_, Question::reread, 0);
  const Judgement next = next_block();
  const Tally tally = tally_of(record_, Question::reread, 0);
  if (!cached && (again.verdict == Verdict::open || next.verdict == Verdict::open)) {
    cache().read_enabled = absent(missing());
  } else {
    cache().read_enabled = measured(cached ? 1 : 0, std::min(again.error, next.error), tally.all(),
                                    "a block read again, and the block behind it");
  }
  if (!cached) {
    cache().discards_after_transfer = absent("reads are not cached");
  } else {
    cache().discards_after_transfer =
        yes_or_no(Question::reread, "a block read again at once", 0, false);
  }
}

// Which boundary ends read-ahead (DiskSim's "Buffer continuous read").
ReadAhead Estimator::read_ahead_kind() {
  const bool sequential = sequential_tracks(record_);
  if (!reads_ahead(record_))
    return sequential ? ReadAhead::to_next_track_if_sequential : ReadAhead::none;
  const bool over_cylinder = verdict(Question::cross_cylinder) == Verdict::hit;
  const Verdict track = verdict(Question::cross_track);
  // No track of a cylinder follows another where surfaces are traversed one by one.
  const bool over_track = track == Verdict::hit || (track == Verdict::open && over_cylinder);
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
  const bool to_track = sample && ends_at(sample->to_track_end);
  const bool to_cylinder = sample && ends_at(sample->to_cylinder_end);
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
      sequential && sequential->first_miss &&
      sequential->last_hit % record_.setting.track_blocks != 0) {
    return measured(static_cast<double>(sequential->last_hit), sequential->error(),
                    sequential->samples, "farthest block found after two tracks in sequence",
                    kBlocks);
  }
  if (const auto& page = record_.setting.page;
      page && page->max_prefetch >= blocks && page->max_prefetch < 0xFFFF) {
    Parameter limit = measured(page->max_prefetch, 0, 0, "mode page 08h, not measured", kBlocks);
    limit.error.reset();
    return limit;
  }
  if (!size || size->bound)
    return absent(
        fmt::format("{} blocks and more: read-ahead ends at a boundary before its limit", blocks),
        kBlocks);
  Parameter limit = measured(std::max(blocks, size->blocks), 0, reach->samples,
                             fmt::format("the segment's size: read-ahead ends at a boundary after "
                                         "{} blocks, before any limit of its own",
                                         blocks),
                             kBlocks);
  limit.error.reset();
  return limit;
}

// May read-ahead push the requested blocks out of their segment.
Parameter Estimator::over_requested() {
  if (!retained(record_)) {
    // Do they make room for what is read ahead?
    const Tally large = tally_of(record_, Question::reach_large, 0);
    const bool none = cache().read_ahead.or_else(0) == static_cast<double>(ReadAhead::to_segment_full) &&
                      judge(large).verdict == Verdict::miss;
    return measured(none ? 0 : -1, 0, tally_of(record_, Question::reread, 0).all() + large.all(),
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
  // A least read-ahead pushes them out, too; but then less is read ahead than behind short requests.
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
  const std::string few = record_.setting.complete
                              ? "it takes two segments that keep requested blocks to tell"
                              : missing();
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
      c.read_ahead_resumes =
          yes_or_no(Question::interrupted, "what was broken off, once the drive was idle", 0);
    }
  }
  const Tally idle = tally_of(record_, Question::interrupted, 0);
  const Tally at_end = tally_of(record_, Question::hit_at_end, 0);
  if (judge(idle).verdict == Verdict::hit) {
    c.read_ahead_on_hit = absent("read-ahead goes on whatever the next read is");
  } else if (idle.all() > 0) {
    c.read_ahead_on_hit =
        yes_or_no(Question::interrupted, "a hit on a segment whose read-ahead was cut short", 1);
  } else if (at_end.all() > 0 && kind == ReadAhead::to_segment_full) {
    c.read_ahead_on_hit =
        yes_or_no(Question::hit_at_end, "a hit on the last block of completed read-ahead");
  } else {
    c.read_ahead_on_hit = absent(few);
  }
}

void Estimator::count_segments() {
  model::Cache& c = cache();
  const auto count = segment_count(record_);
  if (!count) {
    c.segments = absent(missing());
    return;
  }
  std::string method = count->settled ? "reads on distinct cylinders, blocks read ahead probed"
                                      : "reads on distinct cylinders, the first probed";
  double error = count->error;
  if (count->random) {
    method += "; random replacement, fitted to the shares kept";
    note(fmt::format("segments are replaced at random: {:.0f} of them fit best", count->count));
  } else if (count->mixed) {
    note(fmt::format("now {:.0f} and now {:.0f} segments are kept",
                     std::max(0.0, count->count - count->error), count->count + count->error));
  }
  if (count->bound) {
    c.segments = absent(fmt::format("at least {:.0f}: more could not be tried", count->count));
    return;
  }
  const Tally full =
      tally_of(record_, Question::segments_full, static_cast<std::int64_t>(count->count));
  if (!count->random && full.all() > 0 && judge(full).verdict != Verdict::hit) {
    const auto fewer = edge_of(record_, Question::segments_full);
    const double least = fewer ? static_cast<double>(fewer->last_hit) : 1;
    note(fmt::format(
        "segments share a buffer: {:.0f} for one-block reads, {:.0f} for reads that fill the "
        "largest segment found",
        count->count, least));
    error = std::max(error, (count->count - least) / 2);
    method += "; the error is half the range";
  }
  c.segments = counted(count->count, error, count->samples, method);
}

// Whose place new data take.
void Estimator::replacement() {
  model::Cache& c = cache();
  const auto count = segment_count(record_);
  const auto counted = count ? static_cast<std::int64_t>(count->count - count->error) : 0;
  const std::string method =
      "the oldest of as many reads as there are segments, read again before one more";
  if (count && count->random) {
    c.replacement = measured(static_cast<double>(model::Replacement::random), 0, count->samples,
                             "shares kept of more and more reads");
  } else if (count && count->count == 1 && !count->bound) {
    c.replacement = absent("there is one segment");
  } else if (tally_of(record_, Question::replaced, counted).all() == 0) {
    c.replacement =
        absent(count && count->settled ? "it takes segments that keep requested blocks to tell"
                                       : "the number of segments is not known well enough");
  } else {
    c.replacement = yes_or_no(Question::replaced, method, counted, false);
  }
}

// Whether there are fewer and larger segments under a load of one stream.
void Estimator::adaptivity() {
  model::Cache& c = cache();
  const auto tallies = tallies_of(record_, Question::held_in_stream);
  const auto size = segment_size(record_);
  const auto count = segment_count(record_);
  if (tallies.empty() || !size || !count) {
    c.adaptive_min_segments = absent("segments and their size are not known well enough, or the drive takes no request larger than one");
    return;
  }
  const std::string method = "first block of large requests at the end of a sequential stream";
  std::uint64_t samples = 0;
  for (const auto& [x, tally] : tallies) samples += tally.all();
  const auto edge = edge_of(record_, Question::held_in_stream);
  if (!edge) {
    const Judgement first = judge(tallies.begin()->second);
    c.adaptive_min_segments = first.verdict == Verdict::miss
                                  ? measured(0, first.error, samples, method)
                                  : absent(missing());
    return;
  }
  // So many blocks in one segment leave room for so many of them.
  const double all = size->blocks * count->count;
  const double most = std::max(1.0, std::floor(all / static_cast<double>(edge->last_hit)));
  const double least =
      edge->first_miss ? std::max(1.0, std::ceil(all / static_cast<double>(*edge->first_miss))) : 1;
  const double fewest = std::min(most, std::max(least, std::round((least + most) / 2)));
  c.adaptive_min_segments =
      measured(fewest, std::max(most - fewest, fewest - std::min(least, most)), samples, method);
  note(
      fmt::format("adaptive: {:.0f} segments under requests all over the drive, {:.0f} in a "
                  "sequential stream, where one holds {} blocks and more",
                  count->count, fewest, edge->last_hit));
}

void Estimator::segments() {
  model::Cache& c = cache();
  if (!caches_reads(record_)) {
    const bool decided = verdict(Question::reread) != Verdict::open;
    c.segments = absent(decided ? "reads are not cached" : missing());
    c.segment_blocks = absent(c.segments.reason, kBlocks);
    c.read_free_blocks = c.replacement = c.adaptive_min_segments = absent(c.segments.reason);
    c.buffer_blocks = absent(c.segments.reason, kBlocks);
    return;
  }
  count_segments();
  replacement();
  adaptivity();
  if (const auto size = segment_size(record_); !size) {
    c.segment_blocks = absent(missing(), kBlocks);
  } else if (size->bound) {
    c.segment_blocks = absent(
        fmt::format("at least {:.0f} blocks: nothing larger was tried", size->blocks), kBlocks);
  } else {
    std::string method = size->source == SegmentSize::Source::held_range
                             ? "range of blocks held of a request larger than the segment"
                             : "largest request whose first block stays";
    // What is dropped once sent counted while read-ahead was filling the segment?
    const bool counted = size->only_ahead && verdict(Question::reach_large) == Verdict::miss;
    if (size->only_ahead && !counted)
      method += "; requested blocks are dropped, so it may be larger";
    c.segment_blocks =
        measured(size->blocks + (counted ? 1 : 0), size->error, size->samples, method, kBlocks);
  }
  c.read_free_blocks =
      yes_or_no(Question::free_blocks, "a block before the request, the arm having come early");
}

Parameter Estimator::on_arrival(Question question, const std::string& method) {
  const std::vector<ArrivalSample> samples = arrival_samples(record_, question);
  if (samples.empty()) {
    const auto size = segment_size(record_);
    const double track = record_.setting.track_blocks;
    const double most = size && !size->only_ahead ? std::min(size->blocks, track) : track;
    const bool hidden = question == Question::whole_track_read &&
                        bus_hides_arrival(record_, static_cast<std::uint32_t>(most));
    return absent(hidden ? kHidden : missing());
  }
  const ArrivalFit fit = fit_arrival(record_, question);
  switch (fit.answer) {
    case ArrivalFit::Answer::on_arrival:
    case ArrivalFit::Answer::in_order:
      return measured(fit.answer == ArrivalFit::Answer::on_arrival ? 1 : 0,
                      std::min(0.5, fit.residual_rev / std::max(1e-9, fit.other_residual_rev)),
                      samples.size(), method);
    case ArrivalFit::Answer::hidden:
      return absent(kHidden);
    case ArrivalFit::Answer::unclear:
      break;
  }
  return absent("response times fit neither access in order nor access on arrival");
}

void Estimator::arrival() {
  cache().zero_latency_read =
      on_arrival(Question::whole_track_read, "fit to whole-track reads begun at known phases");
}

void Estimator::writes_not_allowed() {
  model::Cache& c = cache();
  for (Parameter* p :
       {&c.write_segments, &c.separate_write_segment, &c.zero_latency_write, &c.read_hit_on_written,
        &c.combine_sequential_writes, &c.write_back_level, &c.write_updates_segments,
        &c.destage_behind, &c.destage_idle, &c.written_blocks, &c.written_persist, &c.synchronize})
    *p = absent(kNotWritten);
  if (!c.buffer_blocks && c.buffer_blocks.reason.empty())
    c.buffer_blocks = absent(kNotWritten, kBlocks);
  if (c.segments) c.segments.method += "; segments set apart for writes, if any, come on top";
  if (!record_.setting.page) return;
  c.write_back_level.value = record_.setting.page->write_cache_enabled ? 2 : 0;
  c.write_back_level.method = "mode page 08h, not measured";
  c.write_back_level.reason.clear();
}

void Estimator::write_segments() {
  model::Cache& c = cache();
  const auto run = run_length(record_, Question::write_run);
  const auto stream = run_length(record_, Question::write_stream);
  if (verdict(Question::write_isolated) != Verdict::hit) {
    c.write_segments = absent("isolated writes are not cached, so their segments do not show");
    c.combine_sequential_writes = absent("isolated writes are not cached");
  } else if (!run || run->runs < 3) {
    c.write_segments = c.combine_sequential_writes = absent(missing());
  } else {
    c.write_segments =
        run->bound ? absent(fmt::format("{:.0f} writes and more were taken at once", run->median))
                   : counted(std::max(1.0, run->median), run->error, run->runs,
                              "scattered writes without pause until one has to wait");
    if (stream) {
      const bool combined = !run->bound && stream->median > run->median + 2 * run->error + 1;
      const std::string method = "adjacent against scattered writes without pause";
      c.combine_sequential_writes = run->bound
                                        ? absent("scattered writes do not have to wait either")
                                        : measured(combined ? 1 : 0, 0, stream->runs, method);
    } else {
      c.combine_sequential_writes = absent(missing());
    }
  }
  std::int64_t reads = -1;
  for (const auto& [x, tally] : tallies_of(record_, Question::write_displaces)) reads = x;
  const auto untold = [&](const std::string& reason) {
    c.separate_write_segment = absent(reason);
    if (!c.buffer_blocks && c.buffer_blocks.reason.empty())
      c.buffer_blocks = absent(reason, kBlocks);
  };
  if (reads < 0) return untold("the number of read segments is not known well enough");
  if (c.write_back_level.or_else(0) == 0 && c.read_hit_on_written.or_else(0) == 0)
    return untold("writes leave nothing in the cache that would show");
  c.separate_write_segment =
      yes_or_no(Question::write_displaces,
                "oldest of as many reads as there are segments, after a write", reads);
  const auto held = edge_of(record_, Question::written_held);
  const auto count = segment_count(record_);
  if (held && held->first_miss && c.separate_write_segment.or_else(0) == 1) {
    c.write_segments = measured(static_cast<double>(held->last_hit), held->error(), held->samples,
                                "scattered writes, the oldest read once all are on the media");
  } else if (held && count && c.segments && c.segment_blocks && !count->settled &&
             static_cast<double>(held->last_hit) > count->count && !count->random &&
             !count->mixed) {
    // Reads, which fill their segments, find room for fewer than small writes do.
    c.buffer_blocks =
        measured(count->count * *c.segment_blocks.value, *c.segment_blocks.value / 2,
                 count->samples + held->samples,
                 "as many full segments as were kept; small writes had more", kBlocks);
    if (held->first_miss) {
      c.segments = measured(static_cast<double>(held->last_hit), held->error(), held->samples,
                            "scattered writes, the oldest read once all are on the media");
    } else {
      c.segments = absent(fmt::format("at least {}: more could not be tried", held->last_hit));
    }
  }
  if (!c.buffer_blocks && c.buffer_blocks.reason.empty())
    c.buffer_blocks = absent("segments do not share it, as far as was seen", kBlocks);
  // Paper, section 4.3.2: where reads and writes share no segments the total is the sum.
  if (c.separate_write_segment.or_else(0) == 1 && c.segments) {
    c.segments.value = *c.segments.value + std::max(1.0, c.write_segments.or_else(1));
    c.segments.method += "; and those of writes, which are separate";
  }
}

// What waits for the media: how much, how long, and what a host does about it.
void Estimator::destaging() {
  model::Cache& c = cache();
  const double period_ms = record_.setting.period_ns * 1e-6;
  std::vector<double> idle_ms;
  for (const Observation& seen : record_.observations)
    if (seen.question == Question::synchronize && seen.x == 0)
      idle_ms.push_back(static_cast<double>(seen.response_ns()) * 1e-6);
  if (const auto ns = synchronize_ns(record_)) {
    const auto [least, most] = std::ranges::minmax(idle_ms);
    c.synchronize = measured(*ns * 1e-6, (most - least) / 2, idle_ms.size(),
                             "SYNCHRONIZE CACHE with nothing to write", "ms");
  } else {
    c.synchronize = absent("the drive does not know SYNCHRONIZE CACHE", "ms");
  }
  const std::array waiting = {&c.written_persist, &c.destage_behind, &c.destage_idle,
                              &c.written_blocks};
  if (verdict(Question::write_isolated) != Verdict::hit) {
    for (Parameter* p : waiting) *p = absent("isolated writes are not cached");
    return;
  }
  const Verdict persist = written_persist(record_);
  c.written_persist =
      persist == Verdict::open
          ? absent(missing())
          : measured(persist == Verdict::hit ? 1 : 0, 0,
                     tally_of(record_, Question::write_forced, 1).all() + idle_ms.size(),
                     "writes with FUA, and SYNCHRONIZE CACHE right after a write");
  const auto idle = idle_before_destage(record_);
  std::optional<double> waits_ms, done_ms;
  std::uint64_t samples = 0;
  for (const Observation& seen : record_.observations) {
    if (seen.question != Question::destaged) continue;
    ++samples;
    const double ms = static_cast<double>(seen.x) * 1e-3;
    if (synchronize_waited(record_, seen))
      waits_ms = std::max(waits_ms.value_or(0), ms);
    else
      done_ms = std::min(done_ms.value_or(ms), ms);
  }
  const auto run = run_length(record_, Question::write_run);
  const std::string unseen =
      persist == Verdict::hit ? "no command tells when written data are on the media"
      : synchronize_ns(record_) ? missing()
                                : "the drive does not know SYNCHRONIZE CACHE, which would tell";
  if (run && run->median >= 2) {
    c.destage_behind = measured(1, 0, run->runs, "several scattered writes are taken at once");
  } else if (run && samples > 0) {
    c.destage_behind = measured(waits_ms ? 1 : 0, 0, run->runs + samples,
                                "SYNCHRONIZE CACHE after a write and a pause");
  } else {
    c.destage_behind = absent(unseen);
  }
  const std::string method = "SYNCHRONIZE CACHE after a write and pauses of many lengths";
  if (samples == 0) {
    c.destage_idle = absent(unseen, "ms");
  } else if (!done_ms) {
    c.destage_idle = absent(fmt::format("more than {:.0f} ms", *waits_ms), "ms");
  } else if (!waits_ms) {
    c.destage_idle = measured(0, *done_ms / 2, samples, method, "ms");
  } else if (idle) {
    c.destage_idle = measured(idle->ns * 1e-6, idle->error_ns * 1e-6, idle->samples,
                              "SYNCHRONIZE CACHE after a write and pauses in which its sector comes "
                              "by sooner or later", "ms");
  } else {
    // The destage itself takes up to a revolution.
    c.destage_idle =
        measured(std::max(0.0, (*waits_ms + *done_ms - period_ms) / 2),
                 (std::abs(*done_ms - *waits_ms) + period_ms) / 2, samples, method, "ms");
  }
  const auto large = run_length(record_, Question::write_run_large);
  if (!run) {
    c.written_blocks = absent(missing(), kBlocks);
  } else if (!large) {
    c.written_blocks = absent(run->median < 2 ? "one write waits at a time" : missing(), kBlocks);
  } else {
    double blocks = 1;
    for (const Observation& seen : record_.observations)
      if (seen.question == Question::write_run_large) blocks = seen.blocks;
    if (large->bound) {
      c.written_blocks =
          absent(fmt::format("{:.0f} blocks and more were taken at once", large->median * blocks),
                 kBlocks);
    } else if (!run->bound && large->median >= run->median) {
      c.written_blocks = absent("as many as the segments hold", kBlocks);
    } else if (const auto taken = taken_blocks(record_)) {
      const auto open = static_cast<double>(*taken->too_many - taken->most - 1);
      c.written_blocks = counted(static_cast<double>(taken->most) + open / 2, open / 2, taken->runs,
                                 "runs of writes without pause, of more and fewer blocks", kBlocks);
    } else {
      c.written_blocks =
          counted((large->median + 0.5) * blocks, blocks * (0.5 + large->error), large->runs,
                  "large scattered writes without pause until one has to wait", kBlocks);
    }
  }
}

void Estimator::writes() {
  if (!record_.setting.writes_allowed) return writes_not_allowed();
  model::Cache& c = cache();
  if (verdict(Question::write_isolated) == Verdict::open) {
    writes_not_allowed();
    const std::string reason = record_.setting.complete
                                   ? "the ranges of --allow-writes are too small for the test"
                                   : missing();
    for (Parameter* p : {&c.write_segments, &c.separate_write_segment, &c.read_hit_on_written,
                         &c.combine_sequential_writes, &c.write_updates_segments, &c.destage_behind,
                         &c.destage_idle, &c.written_blocks, &c.written_persist, &c.synchronize})
      p->reason = reason;
    if (c.buffer_blocks.reason == kNotWritten) c.buffer_blocks.reason = reason;
    if (!c.write_back_level) c.write_back_level.reason = reason;
  } else {
    const Judgement isolated = judge(record_, Question::write_isolated, 0);
    const bool any = isolated.verdict == Verdict::hit;
    const bool appended = verdict(Question::write_appended) == Verdict::hit;
    if (isolated.verdict == Verdict::mixed) note("isolated writes are cached only sometimes");
    c.write_back_level =
        measured(any        ? 2
                 : appended ? 1
                            : 0,
                 isolated.error, tally_of(record_, Question::write_isolated, 0).all(),
                 "isolated writes, then writes that carry on the one before");
    c.read_hit_on_written =
        yes_or_no(Question::read_written, "a written block read once it is on the media", 1);
    if (verdict(Question::read_written, 0) == Verdict::hit &&
        verdict(Question::read_written, 1) == Verdict::miss)
      note("written blocks can be read from the cache only until they are on the media");
    c.write_updates_segments =
        tally_of(record_, Question::write_into, 0).all() == 0
            ? absent(caches_reads(record_) ? "requested blocks are dropped"
                                           : "reads are not cached")
            : yes_or_no(Question::write_into, "a block read before, beside one written since");
    write_segments();
    destaging();
    // A drive that writes while it takes more seems to have more of them than there are.
    if (c.segments && c.write_segments && *c.write_segments.value > *c.segments.value) {
      c.write_segments.method += fmt::format(
          "; {:g} were taken, but there are no more segments", *c.write_segments.value);
      c.write_segments.value = c.segments.value;
    }
  }
  c.zero_latency_write =
      on_arrival(Question::whole_track_write, "fit to whole-track writes begun at known phases");
}

void Estimator::not_observed() {
  model::Cache& c = cache();
  for (Parameter* p : {&c.stop_read_ahead_in_sector, &c.write_hit_stops_read_ahead,
                       &c.almost_read_hits, &c.transfer_partial_hit})
    *p = absent("not tested");
  // Of several models the one that explains the probes' answers may tell them (explained.h).
  c.destage_order = absent(c.destage_behind.or_else(0) == 1
                               ? "the probes did not decide it"
                               : "written data were not seen to wait for one another");
  c.destage_in_passing = absent("not tested");
  // The caching page has these apart from the limit in blocks; probes see where read-ahead ends.
  c.read_ahead_by_request = absent("not tested: the read-ahead limit was measured in blocks");
  c.read_ahead_ceiling_blocks = c.read_ahead_longest_request_blocks =
      absent("not tested", kBlocks);
}

// What the drive says of itself, against what was measured.
void Estimator::mode_page() {
  if (!record_.setting.page) return;
  const scsi::CachePage& page = *record_.setting.page;
  const model::Cache& c = cache();
  const auto compare = [&](const Parameter& parameter, double says, const char* what) {
    if (says <= 0 || !parameter) return;
    if (std::abs(*parameter.value - says) > std::max(0.5, 2 * parameter.error.value_or(0)))
      note(fmt::format("mode page 08h says {} {}, measured were {:g}", says, what,
                       *parameter.value));
  };
  // The page may count those of reads alone.
  const auto reads = segment_count(record_);
  if (!reads || std::abs(reads->count - page.segments) > 0.5)
    compare(c.segments, page.segments, "segments");
  compare(c.segment_blocks, page.segment_blocks, "blocks a segment");
  if (page.max_prefetch < 0xFFFF && c.read_ahead_max_blocks.or_else(0) > 0)
    compare(c.read_ahead_max_blocks, page.max_prefetch, "blocks of read-ahead at most");
  const auto contradict = [&](const Parameter& parameter, bool says, const char* what) {
    if (parameter && (*parameter.value > 0) != says)
      note(fmt::format("mode page 08h says that {} {}, measured was the opposite", what,
                       says ? "is on" : "is off"));
  };
  contradict(c.read_enabled, !page.read_cache_disabled, "the read cache");
  contradict(c.read_ahead, !page.read_ahead_disabled, "read-ahead");
  if (record_.setting.writes_allowed)
    contradict(c.write_back_level, page.write_cache_enabled, "the write cache");
}

}  // namespace

Estimate estimate_cache(const Record& record) { return Estimator(record).all(); }

}  // namespace platter::cache_probe

// What becomes of writes: which wait for the media, where, and for how long.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cache_probe/estimator.h"
#include "cache_probe/responses.h"
#include "cache_probe/waiting_data.h"

namespace platter::cache_probe {

using model::absent;
using model::Parameter;

namespace {

constexpr double kOneMore = 1 / 1.95;  // within 1.96 errors
constexpr const char* kNotWritten = "writes were not allowed (--allow-writes)";

}  // namespace

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
    // Of writes of several blocks each so few may be all the blocks that may wait.
    const std::uint32_t unit = write_unit(record_);
    const auto taken = taken_blocks(record_);
    const bool by_blocks = unit > 1 && taken &&
                           (run->median + 1) * unit >= static_cast<double>(*taken->too_many);
    const char* more = by_blocks ? ", as many as the blocks that may wait," : " and more";
    c.write_segments =
        run->bound || by_blocks
            ? absent(fmt::format("{:.0f} writes{} were taken at once", run->median, more))
            : counted(std::max(1.0, run->median), run->error, run->runs,
                      "scattered writes without pause until one has to wait");
    if (by_blocks) {
      c.combine_sequential_writes = absent("the blocks that may wait end adjacent writes, too");
    } else if (stream) {
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
  const auto count = segment_count(record_);
  const auto untold = [&](const std::string& reason) {
    c.separate_write_segment = absent(reason);
    // One more than were counted may be set apart for writes.
    if (c.segments.error) {
      *c.segments.error += kOneMore;
      c.segments.method += "; a segment set apart for writes, if any, comes on top";
    }
    if (!c.buffer_blocks && c.buffer_blocks.reason.empty())
      c.buffer_blocks = absent(reason, kBlocks);
  };
  if (reads < 0)
    return untold(caches_reads(record_) ? "the number of read segments is not known well enough"
                                        : "reads are not cached");
  c.separate_write_segment = yes_or_no(
      Question::write_displaces,
      count && count->random
          ? "a block that was read, after many more writes than there are segments"
          : "oldest of as many reads as there are segments, after a write",
      reads);
  const auto held = edge_of(record_, Question::written_held);
  if (held && held->first_miss && c.separate_write_segment.or_else(0) == 1) {
    c.write_segments = measured(static_cast<double>(held->last_hit), held->error(), held->samples,
                                "scattered writes, the oldest read once all are on the media");
  } else if (held && count && c.segments && c.segment_blocks && !count->settled &&
             static_cast<double>(held->last_hit) > count->count && !count->random &&
             !count->mixed) {
    // Reads, which fill their segments, find room for fewer than small writes do.
    c.buffer_blocks = measured(count->count * *c.segment_blocks.value, *c.segment_blocks.value / 2,
                               count->samples + held->samples,
                               "as many full segments as were kept; small writes had more",
                               kBlocks);
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

// Where reads are not cached segments show by the writes alone that wait in them: what the drive
// says of them counts where these do not contradict it.
void Estimator::segments_of_writes_alone() {
  model::Cache& c = cache();
  if (verdict(Question::reread) != Verdict::miss || !c.write_segments) return;
  double longest = 0;  // of the writes that did not have to wait
  const Responses responses(record_);
  for (const Observation& seen : record_.observations)
    if (seen.write &&
        (seen.question == Question::write_run || seen.question == Question::write_run_large) &&
        responses.is_fast(seen))
      longest = std::max(longest, static_cast<double>(seen.blocks));
  if (longest == 0) return;
  const auto& page = record_.setting.page;
  if (page && page->segments >= *c.write_segments.value && page->segment_blocks >= longest &&
      page->segment_blocks < 0xFFFF) {
    const std::string method = "mode page 08h, not measured: reads are not cached";
    c.segments = without_error(page->segments, 0, method);
    c.segment_blocks = without_error(page->segment_blocks, 0, method, kBlocks);
  } else {
    c.segments = without_error(*c.write_segments.value, c.write_segments.samples,
                               "those that writes take; reads are not cached");
    c.segment_blocks = without_error(longest, c.write_segments.samples,
                                     "longest write that did not wait; reads are not cached",
                                     kBlocks);
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
  c.written_persist = persist == Verdict::open
                          ? absent(missing())
                          : measured(
                                persist == Verdict::hit ? 1 : 0, 0,
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
  const std::string unseen = persist == Verdict::hit
                                 ? "no command tells when written data are on the media"
                             : synchronize_ns(record_)
                                 ? missing()
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
    c.destage_idle = measured(
        idle->ns * 1e-6, idle->error_ns * 1e-6, idle->samples,
        "SYNCHRONIZE CACHE after a write and pauses in which its sector comes "
        "by sooner or later",
        "ms");
  } else {
    // The destage itself takes up to a revolution.
    c.destage_idle = measured(std::max(0.0, (*waits_ms + *done_ms - period_ms) / 2),
                              (std::abs(*done_ms - *waits_ms) + period_ms) / 2, samples, method,
                              "ms");
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
      c.written_blocks = absent(
          fmt::format("{:.0f} blocks and more were taken at once", large->median * blocks),
          kBlocks);
    } else if (!run->bound && large->median >= run->median) {
      c.written_blocks = absent("as many as the segments hold", kBlocks);
    } else if (const auto taken = taken_blocks(record_)) {
      const auto open = static_cast<double>(*taken->too_many - taken->most - 1);
      c.written_blocks = counted(static_cast<double>(taken->most) + open / 2, open / 2, taken->runs,
                                 "runs of writes without pause, of more and fewer blocks", kBlocks);
    } else {
      c.written_blocks = counted(
          (large->median + 0.5) * blocks, blocks * (0.5 + large->error), large->runs,
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
    c.write_back_level = measured(any        ? 2
                                  : appended ? 1
                                             : 0,
                                  isolated.error,
                                  tally_of(record_, Question::write_isolated, 0).all(),
                                  "isolated writes, then writes that carry on the one before");
    c.read_hit_on_written = yes_or_no(Question::read_written,
                                      "a written block read once it is on the media", 1);
    if (verdict(Question::read_written, 0) == Verdict::hit &&
        verdict(Question::read_written, 1) == Verdict::miss)
      note("written blocks can be read from the cache only until they are on the media");
    c.write_updates_segments = tally_of(record_, Question::write_into, 0).all() == 0
                                   ? absent(caches_reads(record_) ? "requested blocks are dropped"
                                                                  : "reads are not cached")
                                   : yes_or_no(Question::write_into,
                                               "a block read before, beside one written since");
    write_segments();
    segments_of_writes_alone();
    destaging();
    // A drive that writes while it takes more seems to have more of them than there are.
    if (c.segments && c.write_segments && *c.write_segments.value > *c.segments.value) {
      c.write_segments.method += fmt::format("; {:g} were taken, but there are no more segments",
                                             *c.write_segments.value);
      c.write_segments.value = c.segments.value;
    }
  }
  c.zero_latency_write = on_arrival(Question::whole_track_write,
                                    "fit to whole-track writes begun at known phases");
}

}  // namespace platter::cache_probe

// How many segments, of what size, and which of them writes take: what the tests of
// segment_size.cpp, segment_count.cpp and write_segments.cpp say together, for one buffer is
// divided among reads and writes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cache_probe/estimator.h"
#include "cache_probe/facts.h"
#include "cache_probe/waiting_data.h"
#include "model/known.h"
#include "model/stand_ins.h"

namespace platter::cache_probe {

namespace {

using model::absent;
using model::Parameter;

// The most reads of which more than half were kept.
void guess_by_probes(const Estimator& e, Parameter& segments) {
  std::int64_t most = 0;
  for (const Question question : {Question::segments, Question::segments_settled})
    for (const auto& [x, tally] : tallies_of(e.record(), question))
      if (2 * tally.fast > tally.all()) most = std::max(most, x);
  if (most > 0) model::add_guess(segments, {static_cast<double>(most), std::nullopt, kFewProbes});
}

// Large requests that filled one buffer while there were segments enough for more of them.
bool buffer_by_large_reads(Estimator& e) {
  const auto held = edge_of(e.record(), Question::buffer);
  if (!held || !held->first_miss) return false;
  const auto blocks = static_cast<double>(held->last_hit);
  // Between the requests more is read ahead of those before, which takes room that none of them
  // asked for.
  e.cache().buffer_blocks =
      e.verdict(Question::interrupted) == Verdict::hit
          ? model::at_least(blocks,
                            "large requests, so many blocks in all, were held beside what is read "
                            "ahead of others when the drive is idle",
                            kBlocks)
          : measured(blocks, held->error(), held->samples,
                     "large requests, so many blocks in all, of which the first was still held",
                     kBlocks);
  return true;
}

void segments_of_reads(Estimator& e) {
  model::Cache& c = e.cache();
  const auto count = segment_count(e.record());
  if (!count) {
    c.segments = absent(e.missing());
    e.guess_by_page(c.segments, &scsi::CachePage::segments);
    guess_by_probes(e, c.segments);
    return;
  }
  std::string method = count->settled ? "reads on distinct cylinders, blocks read ahead probed"
                                      : "reads on distinct cylinders, the first probed";
  double error = count->error;
  if (count->random) {
    method += "; random replacement, fitted to the shares kept";
    e.note(fmt::format("segments are replaced at random: {:.0f} of them fit best", count->count));
  } else if (count->mixed) {
    e.note({model::Code::cache_mixed,
            fmt::format("now {:.0f} and now {:.0f} segments are kept",
                        std::max(0.0, count->count - count->error), count->count + count->error)});
  }
  if (count->bound) {
    c.segments = model::at_least(count->count, "more could not be tried");
    e.guess_by_page(c.segments, &scsi::CachePage::segments);
    return;
  }
  const Tally full = tally_of(e.record(), Question::segments_full,
                              static_cast<std::int64_t>(count->count));
  const auto fewer = edge_of(e.record(), Question::segments_full);
  const bool not_one = !fewer && tally_of(e.record(), Question::segments_full, 1).all() > 0;
  const bool are_fewer = full.all() > 0 ? judge(full).verdict != Verdict::hit
                                        : not_one || (fewer && fewer->first_miss.has_value());
  if (!buffer_by_large_reads(e) && !count->random && are_fewer) {
    const double least = fewer ? static_cast<double>(fewer->last_hit) : 1;
    e.note(fmt::format(
        "segments share a buffer: {:.0f} for one-block reads, {:.0f} for reads that fill the "
        "largest segment found",
        count->count, least));
    error = std::max(error, (count->count - least) / 2);
    method += "; the error is half the range";
  }
  c.segments = counted(count->count, error, count->samples, method);
}

void size_by_reads(Estimator& e) {
  model::Cache& c = e.cache();
  const auto size = segment_size(e.record());
  if (!size || size->bound) {
    // The page's figure, unless what was measured says otherwise.
    const auto& page = e.record().setting.page;
    const auto reach = reach_edge(e.record());
    const double least = std::max(size ? size->blocks : 1.0,
                                  reach ? static_cast<double>(reach->sure_hit) : 0.0);
    const auto count = segment_count(e.record());
    const bool belied = page && count && !count->bound && page->segments > 0 &&
                        std::abs(count->count - page->segments) > 1 + 2 * count->error;
    c.segment_blocks = absent(
        !size              ? e.missing()
        : size->only_ahead ? "requested blocks are dropped once sent, and what is read ahead need "
                             "not fill the segment"
                           : "nothing larger was tried",
        kBlocks);
    if (least > 1) c.segment_blocks.at_least = std::floor(least);
    if (!belied) e.guess_by_page(c.segment_blocks, &scsi::CachePage::segment_blocks);
  } else {
    std::string method = size->source == SegmentSize::Source::held_range
                             ? "range of blocks held of a request larger than the segment"
                             : "largest request whose first block stays";
    // What is dropped once sent counted while read-ahead was filling the segment?
    const bool counted = size->only_ahead && e.verdict(Question::reach_large) == Verdict::miss;
    c.segment_blocks = measured(size->blocks + (counted ? 1 : 0), size->error, size->samples,
                                method, kBlocks);
  }
}

// How many writes are cached until one has to wait, and whether sequential ones share a segment.
void writes_that_wait(Estimator& e) {
  model::Cache& c = e.cache();
  const auto run = run_length(e.record(), Question::write_run);
  const auto stream = run_length(e.record(), Question::write_stream);
  if (e.verdict(Question::write_isolated) != Verdict::hit) {
    c.write_segments = absent("isolated writes are not cached, so their segments do not show");
    c.combine_sequential_writes = absent("isolated writes are not cached");
  } else if (!run || run->runs < 3) {
    c.write_segments = c.combine_sequential_writes = absent(e.missing());
  } else {
    // Of writes of several blocks each so few may be all the blocks that may wait.
    const std::uint32_t unit = write_unit(e.record());
    const auto taken = taken_blocks(e.record());
    const bool by_blocks = unit > 1 && taken &&
                           (run->median + 1) * unit >= static_cast<double>(*taken->too_many);
    const char* more = by_blocks ? ", as many as there may be dirty blocks," : " and more";
    c.write_segments =
        run->bound || by_blocks
            ? model::at_least(std::max(1.0, std::floor(run->median)),
                              fmt::format("{:.0f} writes{} were cached at once", run->median, more))
            : counted(std::max(1.0, run->median), run->error, run->runs,
                      "scattered writes without pause until one has to wait");
    if (by_blocks) {
      c.combine_sequential_writes = absent("the limit of dirty blocks ends sequential writes, too");
    } else if (run->bound) {
      c.combine_sequential_writes = absent("scattered writes do not have to wait either");
    } else if (stream) {
      // Behind sequential writes the media make room sooner, so that one more is no proof unless it
      // came before they could.
      const double scattered = run->median + 2 * run->error;
      const auto at_rest = taken_at_rest(e.record(), Question::write_stream);
      const bool combined = stream->median > scattered + 1 ||
                            (at_rest && at_rest->median - 2 * at_rest->error > scattered);
      c.combine_sequential_writes = measured(combined ? 1 : 0, 0, stream->runs,
                                             "sequential against scattered writes without pause");
    } else {
      c.combine_sequential_writes =
          absent(e.record().setting.complete
                     ? "the ranges of --allow-writes have no room for as many writes in a row"
                     : e.missing());
    }
  }
}

// Whether writes take segments of reads; the totals of both.
void sharing_with_writes(Estimator& e) {
  model::Cache& c = e.cache();
  std::int64_t reads = -1;
  for (const auto& [x, tally] : tallies_of(e.record(), Question::write_displaces)) reads = x;
  const auto count = segment_count(e.record());
  const auto not_known = [&](const std::string& reason) {
    c.separate_write_segment = absent(reason);
    // One more than were counted may be set apart for writes.
    if (c.segments.error) {
      *c.segments.error += kOneOff;
      c.segments.method += "; a segment set apart for writes, if any, comes on top";
    }
    if (!c.buffer_blocks && c.buffer_blocks.reason.empty())
      c.buffer_blocks = absent(reason, kBlocks);
  };
  if (reads < 0)
    return not_known(
        e.without_read_cache().value_or("the number of read segments is not known well enough"));
  c.separate_write_segment = e.yes_or_no(
      Question::write_displaces,
      count && count->random
          ? "a block that was read, after many more writes than there are segments"
          : "oldest of as many reads as there are segments, after a write",
      reads);
  const auto held = edge_of(e.record(), Question::written_held);
  if (held && held->first_miss && c.separate_write_segment.value == 1) {
    c.write_segments = measured(static_cast<double>(held->last_hit), held->error(), held->samples,
                                "scattered writes, the oldest read once all are on the media");
  } else if (!c.buffer_blocks && held && count && c.segments && c.segment_blocks &&
             !count->settled && static_cast<double>(held->last_hit) > count->count &&
             !count->random && !count->mixed) {
    // Reads, which fill their segments, find room for fewer than small writes do.
    c.buffer_blocks = measured(count->count * *c.segment_blocks.value, *c.segment_blocks.value / 2,
                               count->samples + held->samples,
                               "as many full segments as were kept; small writes had more",
                               kBlocks);
    if (held->first_miss) {
      c.segments = measured(static_cast<double>(held->last_hit), held->error(), held->samples,
                            "scattered writes, the oldest read once all are on the media");
    } else {
      c.segments = model::at_least(static_cast<double>(held->last_hit), "more could not be tried");
    }
  }
  if (!c.buffer_blocks && c.buffer_blocks.reason.empty())
    c.buffer_blocks = absent("segments do not share it, as far as was seen", kBlocks);
  // Paper, section 4.3.2: where reads and writes share no segments the total is the sum.
  if (c.separate_write_segment.value == 1 && c.segments) {
    c.segments.value = *c.segments.value + std::max(1.0, acting(c, c.write_segments).value);
    c.segments.method += "; and those of writes, which are separate";
  }
}

// Where reads are not cached segments show by the writes alone that wait in them: what the drive
// says of them counts where these do not contradict it.
void segments_of_writes_alone(Estimator& e) {
  model::Cache& c = e.cache();
  if (e.verdict(Question::reread) != Verdict::miss || !c.write_segments) return;
  double longest = 0;  // of the writes that did not have to wait
  const Responses responses(e.record());
  for (const Observation& seen : e.record().observations)
    if (seen.write &&
        (seen.question == Question::write_run || seen.question == Question::write_run_large) &&
        responses.is_fast(seen))
      longest = std::max(longest, static_cast<double>(seen.blocks));
  if (longest == 0) return;
  const auto& page = e.record().setting.page;
  if (page && page->segments >= *c.write_segments.value && page->segment_blocks >= longest &&
      page->segment_blocks < 0xFFFF) {
    const std::string reason = "reads are not cached";
    c.segments = model::at_least(*c.write_segments.value, reason);
    c.segment_blocks = model::at_least(longest, reason, kBlocks);
    e.guess_by_page(c.segments, &scsi::CachePage::segments);
    e.guess_by_page(c.segment_blocks, &scsi::CachePage::segment_blocks);
  } else {
    c.segments = without_error(*c.write_segments.value, c.write_segments.samples,
                               "those that writes take; reads are not cached");
    c.segment_blocks = without_error(longest, c.write_segments.samples,
                                     "longest write that did not wait; reads are not cached",
                                     kBlocks);
  }
}

void writes_not_tested(Estimator& e, const std::string& reason) {
  model::Cache& c = e.cache();
  c.write_segments = c.separate_write_segment = c.combine_sequential_writes = absent(reason);
  if (!c.buffer_blocks && c.buffer_blocks.reason.empty()) c.buffer_blocks = absent(reason, kBlocks);
  if (c.segments) c.segments.method += "; segments set apart for writes, if any, come on top";
}

}  // namespace

void estimate_segments(Estimator& e) {
  model::Cache& c = e.cache();
  if (const auto reason = e.without_read_cache()) {
    c.segments = absent(*reason);
    c.segment_blocks = c.buffer_blocks = absent(*reason, kBlocks);
    if (e.verdict(Question::reread) == Verdict::open) {
      e.guess_by_page(c.segments, &scsi::CachePage::segments);
      e.guess_by_page(c.segment_blocks, &scsi::CachePage::segment_blocks);
    }
  } else {
    segments_of_reads(e);
    size_by_reads(e);
  }
  if (const auto reason = e.without_writes()) return writes_not_tested(e, *reason);
  writes_that_wait(e);
  sharing_with_writes(e);
  segments_of_writes_alone(e);
  // No write had to wait, so they may take all segments that there are.
  if (const double all = acting(c, c.segments);
      c.write_segments.at_least && *c.write_segments.at_least <= all)
    model::add_guess(c.write_segments, {all, std::nullopt, "as many as there are segments"});
  // A drive that writes while it takes more seems to have more of them than there are.
  if (c.segments && c.write_segments && *c.write_segments.value > *c.segments.value) {
    c.write_segments.method += fmt::format("; {:g} were taken, but there are no more segments",
                                           *c.write_segments.value);
    c.write_segments.value = c.segments.value;
  }
}

}  // namespace platter::cache_probe

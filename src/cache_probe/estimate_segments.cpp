// How many segments, of what size, whose place new data take, and whether they follow the load.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cache_probe/division.h"
#include "cache_probe/estimator.h"

namespace platter::cache_probe {

using model::absent;
using model::Parameter;

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
  if (const auto& page = record_.setting.page;
      count->bound && page && page->segments >= count->count) {
    c.segments = without_error(page->segments, 0, "mode page 08h, not measured");
    return;
  }
  if (count->bound) {
    c.segments = absent(fmt::format("at least {:.0f}: more could not be tried", count->count));
    return;
  }
  const Tally full = tally_of(record_, Question::segments_full,
                              static_cast<std::int64_t>(count->count));
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
    c.replacement = absent(count && count->settled
                               ? "it takes segments that keep requested blocks to tell"
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
    c.adaptive_min_segments = absent(
        "segments and their size are not known well enough, or the drive takes no request larger "
        "than one");
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
  const double least = edge->first_miss
                           ? std::max(1.0, std::ceil(all / static_cast<double>(*edge->first_miss)))
                           : 1;
  const double fewest = std::min(most, std::max(least, std::round((least + most) / 2)));
  c.adaptive_min_segments = measured(
      fewest, std::max(most - fewest, fewest - std::min(least, most)), samples, method);
  note(
      fmt::format("adaptive: {:.0f} segments under requests all over the drive, {:.0f} in a "
                  "sequential stream, where one holds {} blocks and more",
                  count->count, fewest, edge->last_hit));
}

// After how many requests it is looked at how many there are to be.
void Estimator::window() {
  Parameter& window = cache().adaptive_window_requests;
  if (cache().adaptive_min_segments.or_else(0) == 0) {
    window = absent(cache().adaptive_min_segments
                        ? "the number of segments does not follow the load"
                        : cache().adaptive_min_segments.reason);
    return;
  }
  const Divisions found = divisions_of(load_changes(record_));
  const Division division = found.likeliest();
  if (!found.proven()) {
    window = absent(found.changes == 0 ? "no request was seen at which the buffer was divided anew"
                                       : missing());
  } else if (division.trigger == Division::Trigger::window) {
    window = measured(static_cast<double>(division.requests), 0, found.changes,
                      "requests at which the buffer was divided anew, the load having changed");
  } else if (division.trigger == Division::Trigger::in_a_row) {
    window =
        absent(fmt::format("the buffer is divided anew {} requests after the load has changed, "
                           "whatever was before: not after windows of a number of requests",
                           division.requests));
  } else {
    window = absent("the buffer is divided anew at no fixed number of requests");
  }
}

void Estimator::segments() {
  model::Cache& c = cache();
  if (!caches_reads(record_)) {
    const bool decided = verdict(Question::reread) != Verdict::open;
    c.segments = absent(decided ? "reads are not cached" : missing());
    c.segment_blocks = absent(c.segments.reason, kBlocks);
    c.read_free_blocks = c.replacement = c.adaptive_min_segments = absent(c.segments.reason);
    c.adaptive_window_requests = absent(c.segments.reason);
    c.buffer_blocks = absent(c.segments.reason, kBlocks);
    return;
  }
  count_segments();
  replacement();
  adaptivity();
  window();
  const auto size = segment_size(record_);
  if (!size || size->bound) {
    // The page's figure, unless what was measured says otherwise.
    const auto& page = record_.setting.page;
    const auto reach = reach_edge(record_);
    const double least = std::max(size ? size->blocks : 1.0,
                                  reach ? static_cast<double>(reach->sure_hit) : 0.0);
    const auto count = segment_count(record_);
    const bool belied = page && count && !count->bound && page->segments > 0 &&
                        std::abs(count->count - page->segments) > 1 + 2 * count->error;
    if (page && !belied && page->segment_blocks >= least && page->segment_blocks < 0xFFFF) {
      c.segment_blocks = without_error(page->segment_blocks, 0, "mode page 08h, not measured",
                                       kBlocks);
    } else {
      c.segment_blocks = absent(
          size ? fmt::format("at least {:.0f} blocks: {}", size->blocks,
                             size->only_ahead
                                 ? "requested blocks are dropped once sent, and what is read "
                                   "ahead need not fill the segment"
                                 : "nothing larger was tried")
               : missing(),
          kBlocks);
    }
  } else {
    std::string method = size->source == SegmentSize::Source::held_range
                             ? "range of blocks held of a request larger than the segment"
                             : "largest request whose first block stays";
    // What is dropped once sent counted while read-ahead was filling the segment?
    const bool counted = size->only_ahead && verdict(Question::reach_large) == Verdict::miss;
    c.segment_blocks = measured(size->blocks + (counted ? 1 : 0), size->error, size->samples,
                                method, kBlocks);
  }
  const std::string before = "a block before the request, the arm having come early";
  Tally free_blocks;
  for (const auto& [x, tally] : tallies_of(record_, Question::free_blocks))
    for (const double ratio : tally.ratios) free_blocks.add(ratio);
  c.read_free_blocks = found_free_blocks(record_)
                           ? measured(1, error_of_some_hits(free_blocks), free_blocks.all(), before)
                           : yes_or_no(Question::free_blocks, before,
                                       verdict(Question::free_blocks, 1) == Verdict::hit ? 1 : 0);
}

}  // namespace platter::cache_probe

#include "cache_probe/facts.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cache_probe/random_replacement.h"
#include "statistics/robust.h"

namespace platter::cache_probe {
namespace {

// Chosen by trial on the catalogue's caches, which tests/cache_probe/recovery_test.cpp holds.
// kFewAtOnce: what passes while host and drive exchange a command.
constexpr double kWaits_rev = 0.12;       // longer than usual
constexpr std::int64_t kFewAtOnce = 24;   // blocks
constexpr double kAngleUnsure_rev = 0.1;  // by this much a sector may come earlier than expected
constexpr double kUntilObeyed = 2;        // hits; a miss takes a drive longer to decode

// Larger ones than the usual take longer on the bus.
double bus_ns(const Record& record, std::uint32_t blocks) {
  const std::uint32_t usual = write_unit(record);
  if (blocks <= usual) return 0;
  return bus_rev_per_block(record).value_or(0) * record.setting.period_ns * (blocks - usual);
}

double longest_ns(const Record& record, double usual_ns, std::uint32_t blocks) {
  return 1.5 * (usual_ns + bus_ns(record, blocks)) + kWaits_rev * record.setting.period_ns;
}

}  // namespace

std::optional<double> synchronize_ns(const Record& record) {
  std::vector<double> idle;
  for (const Observation& seen : record.observations)
    if (seen.question == Question::synchronize_clean)
      idle.push_back(static_cast<double>(seen.response_ns()));
  if (idle.empty()) return std::nullopt;
  return statistics::median(idle);
}

bool synchronize_waited(const Record& record, const Observation& seen) {
  return static_cast<double>(seen.response_ns()) >
         synchronize_ns(record).value_or(0) + kWaits_rev * record.setting.period_ns;
}

std::uint32_t write_unit(const Record& record) {
  std::uint32_t least = 0;
  for (const Observation& seen : record.observations)
    if (seen.write && seen.blocks > 0 && (least == 0 || seen.blocks < least)) least = seen.blocks;
  return std::max(1U, least);
}

double usual_write_ns(const Record& record) {
  std::vector<double> fast;
  const Responses responses(record);
  for (const Observation& seen : record.observations)
    if (seen.question == Question::write_isolated && responses.is_fast(seen))
      fast.push_back(static_cast<double>(seen.response_ns()));
  if (fast.empty()) return responses.hit_rev() * record.setting.period_ns;
  // One that had to wait for others looks like no miss, either.
  const double longest = longest_ns(record, *std::ranges::min_element(fast), write_unit(record));
  std::erase_if(fast, [longest](double ns) { return ns > longest; });
  return statistics::median(fast);
}

double longest_write_ns(const Record& record, std::uint32_t blocks) {
  return longest_ns(record, usual_write_ns(record), blocks);
}

bool write_waited(const Record& record, const Observation& seen) {
  return !Responses(record).is_fast(seen) ||
         static_cast<double>(seen.response_ns()) > longest_write_ns(record, seen.blocks);
}

bool synchronize_lies(const Record& record) {
  int waiting = 0, all = 0;
  for (const Observation& seen : record.observations) {
    if (seen.question != Question::synchronize_dirty) continue;
    ++all;
    waiting += synchronize_waited(record, seen) ? 1 : 0;
  }
  return all > 0 && 2 * waiting <= all;
}

bool synchronize_does_nothing(const Record& record) {
  return synchronize_lies(record) &&
         judge(record, Question::write_forced, 0).verdict == Verdict::miss;
}

Verdict written_persist(const Record& record) {
  const Verdict forced = judge(record, Question::write_forced, 0).verdict;
  if (forced == Verdict::miss) return Verdict::miss;
  return forced == Verdict::hit && synchronize_lies(record) ? Verdict::hit : Verdict::open;
}

bool retained(const Record& record) {
  return judge(record, Question::reread, 0).verdict == Verdict::hit;
}

bool reads_ahead(const Record& record) {
  return judge(record, Question::next_block, 0).verdict == Verdict::hit ||
         judge(record, Question::next_block_later, 0).verdict == Verdict::hit ||
         after_sequential(record);
}

bool after_sequential(const Record& record) {
  return judge(record, Question::next_sequential, 0).verdict == Verdict::hit;
}

bool sequential_tracks(const Record& record) {
  for (const Question question :
       {Question::cross_sequential, Question::cross_in_one, Question::cross_ends})
    if (judge(record, question, 0).verdict == Verdict::hit) return true;
  return false;
}

bool ends_at_boundary(const Record& record) {
  return judge(record, Question::cross_track, 0).verdict == Verdict::miss ||
         judge(record, Question::cross_cylinder, 0).verdict == Verdict::miss;
}

End end_of(const Record& record, Question question) {
  const Responses responses(record);
  for (const End end : {&Observation::to_track_end, &Observation::to_cylinder_end}) {
    std::uint64_t hits = 0, hits_behind = 0, misses = 0, misses_before = 0;
    for (const Observation& seen : record.observations) {
      if (seen.question != question || seen.nth > 0) continue;
      const bool before = seen.x <= seen.*end;
      if (responses.is_fast(seen)) {
        ++hits;
        hits_behind += before ? 0 : 1;
      } else {
        ++misses;
        misses_before += before ? 1 : 0;
      }
    }
    if (hits_behind * kNoiseOneOf < hits && misses_before * kNoiseOneOf < misses) return end;
  }
  return nullptr;
}

bool found_free_blocks(const Record& record) {
  std::uint64_t hits = 0;
  for (const Question question : {Question::free_blocks, Question::free_blocks_near})
    hits += tally_of(record, question, 0).fast;
  return record.setting.angles_trusted && hits >= 2;
}

End end_behind(const Record& record) {
  return ends_at_boundary(record) ? end_of(record, Question::held_upper) : nullptr;
}

std::int64_t read_behind(const Record& record, std::int64_t to_track_end,
                         std::int64_t to_cylinder_end) {
  if (const End end = end_behind(record))
    return end == &Observation::to_track_end ? to_track_end : to_cylinder_end;
  const auto upper = edge_of(record, Question::held_upper);
  return upper ? upper->sure_hit : 0;
}

std::optional<Edge> reach_edge(const Record& record) {
  // (What is not there without a wait either was never held.)
  for (const auto& [x, tally] : tallies_of(record, Question::reach_overrun))
    if (judge(tally).verdict == Verdict::miss &&
        judge(record, Question::reach, x).verdict != Verdict::miss)
      return std::nullopt;
  return edge_of(record, Question::reach);
}

std::int64_t reach_blocks(const Record& record) {
  if (const auto edge = reach_edge(record)) return edge->last_hit;
  // Where read-ahead itself pushes out what comes first: the end where it was found.
  std::int64_t end = 0;
  for (const auto& [x, tally] : tallies_of(record, Question::reach_end))
    if (judge(tally).verdict == Verdict::hit) end = x;
  return end;
}

namespace {

std::int64_t farthest_hit(const Record& record, Question question) {
  std::int64_t farthest = 0;
  for (const auto& [x, tally] : tallies_of(record, question))
    if (tally.fast > 0) farthest = std::max(farthest, x);
  return farthest;
}

// Read-ahead pushes out what it read first, and ends at a boundary: not behind it.
bool ends_where_found(const Record& record) {
  const std::int64_t end = reach_blocks(record);
  return end > 0 && judge(record, Question::reach_end, end + 1).verdict == Verdict::miss;
}

}  // namespace

std::optional<Edge> read_ahead_end(const Record& record) {
  const auto aligned = edge_of(record, Question::reach_aligned);
  return aligned && !ends_at_boundary(record) ? aligned : reach_edge(record);
}

namespace {

// Places differ: from the first x that is not always held to the last that ever is.
void widen_where_places_differ(SegmentSize& size, const Record& record) {
  double from = size.blocks, to = size.blocks;
  for (const auto& [x, tally] : tallies_of(record, Question::held_lower)) {
    const Verdict verdict = judge(tally).verdict;
    if (verdict == Verdict::miss || verdict == Verdict::mixed)
      from = std::min(from, static_cast<double>(x));
    if (tally.fast > 0) to = std::max(to, static_cast<double>(x + 1));
  }
  size.blocks = std::round((from + to) / 2);
  size.error = std::max(size.error, std::ceil((to - from) / 2));
}

// From the last block that is held back to the first.
std::optional<SegmentSize> size_between_ends(const Record& record) {
  // Where a request is longer than what stays of it, its end is what was found behind it; else that
  // of read-ahead.
  const bool of_request = !tallies_of(record, Question::held_upper).empty();
  const auto upper = of_request ? edge_of(record, Question::held_upper) : read_ahead_end(record);
  const End by_boundary = of_request ? end_behind(record) : nullptr;
  const auto lower = edge_of(record, Question::held_lower);
  if (!lower || !(upper || by_boundary || (!of_request && reach_blocks(record) > 0)))
    return std::nullopt;
  SegmentSize size;
  size.only_ahead = !retained(record);
  size.blocks = static_cast<double>(lower->last_hit + 1);
  size.error = lower->error();
  size.samples = lower->samples;
  size.bound = !lower->first_miss;
  if (lower->mixed) widen_where_places_differ(size, record);
  // The last block may lie anywhere where blocks are now held and now not.
  if (upper && !by_boundary && upper->sure_miss)
    // (Of places that differ some end anywhere up to where read-ahead does.)
    size.error += static_cast<double>(
        upper->mixed ? std::max(reach_blocks(record), farthest_hit(record, Question::held_upper))
                     : *upper->sure_miss - upper->sure_hit - 1);
  else if (upper ? !by_boundary : !of_request && !ends_where_found(record))
    size.bound = true;  // its last block was not found: read-ahead goes on beyond what was tried
  // What is dropped once sent takes its place all the same: only where read-ahead ends as the
  // segment is full its size shows.
  const std::int64_t top = upper ? upper->sure_hit : reach_blocks(record);
  const bool pushed_out = lower->first_miss && *lower->first_miss < top;
  if (size.only_ahead && !pushed_out &&
      judge(record, Question::reach_large, 0).verdict != Verdict::miss)
    size.bound = true;
  // Where read-ahead does not always end alike, what was taken for the last block is not always
  // it: a segment holds a block at least with all that is read ahead of it.
  const auto reach = reach_edge(record);
  const bool too_small = reach && judge(record, Question::held_first, 1).verdict == Verdict::hit &&
                         size.blocks + size.error < static_cast<double>(reach->sure_hit + 1);
  if (too_small || !(size.bound || size.error < size.blocks / 2)) return std::nullopt;
  return size;
}

// The longest request whose first block stays.
std::optional<SegmentSize> size_by_largest_kept(const Record& record) {
  const auto first = edge_of(record, Question::held_first);
  if (!first) return std::nullopt;
  SegmentSize size;
  size.only_ahead = !retained(record);
  size.source = SegmentSize::Source::largest_kept;
  size.blocks = static_cast<double>(first->last_hit);
  size.samples = first->samples;
  size.bound = !first->first_miss;
  // Read-ahead may have pushed out the first block of a request that fits.
  size.error = first->error() + static_cast<double>(reach_blocks(record));
  // What is known no better than to its own size is not known.
  if (!size.bound && size.error >= size.blocks / 2) return std::nullopt;
  return size;
}

std::optional<SegmentSize> size_by_what_is_held(const Record& record) {
  const auto between = size_between_ends(record);
  return between ? between : size_by_largest_kept(record);
}

}  // namespace

bool goes_as_far_from_anywhere(const Record& record) {
  const auto reach = reach_edge(record);
  return reach && reach->first_miss && !reach->mixed &&
         (reach->last_hit <= 1 || judge(record, Question::reach_mid, 0).verdict == Verdict::hit);
}

// What an end that is not known bounds is not taken for the end of a segment.
std::optional<SegmentSize> segment_size(const Record& record) {
  if (!record.setting.map_known && reads_ahead(record) && !goes_as_far_from_anywhere(record))
    return std::nullopt;
  return size_by_what_is_held(record);
}

std::int64_t at_once_blocks(const Record& record) {
  const double rev = kUntilObeyed * Responses(record).hit_rev();
  return std::max(kFewAtOnce, static_cast<std::int64_t>(rev * record.setting.track_blocks));
}

std::optional<CutShort> cut_short(const Record& record) {
  const auto tallies = tallies_of(record, Question::cut_short);
  if (tallies.empty()) return std::nullopt;
  CutShort found;
  for (const auto& [x, tally] : tallies) {
    found.samples += tally.all();
  }
  const auto edge = edge_of(record, Question::cut_short);
  if (!edge) return found;
  if (reach_blocks(record) <= at_once_blocks(record)) return std::nullopt;
  found.all = edge->last_hit >= reach_blocks(record);
  if (!found.all) found.least_blocks = edge->last_hit;
  found.error = edge->error();
  return found;
}

std::optional<SegmentCount> segment_count(const Record& record) {
  const Question counted_by = segments_counted_by(record);
  const auto edge = edge_of(record, counted_by);
  if (!edge) return std::nullopt;
  SegmentCount found;
  found.settled = counted_by == Question::segments_settled;
  found.count = static_cast<double>(edge->last_hit);
  found.error = edge->error();
  // The middle of what remains open.
  if (found.error > 0 && !edge->mixed && edge->first_miss)
    found.count = static_cast<double>(edge->sure_hit) + found.error;
  if (found.count != std::round(found.count)) {
    found.count = std::round(found.count);
    found.error += 0.5;
  }
  found.samples = edge->samples;
  found.bound = !edge->first_miss;
  found.mixed = edge->mixed;
  if (tallies_of(record, Question::kept_of_many).empty()) return found;
  const AtRandom random = replaced_at_random(record);
  if (random.verdict == Verdict::hit) {
    found.count = random.fit->segments;
    found.error = random.fit->error;
    found.random = true;
    found.bound = random.fit->bound;
  }
  return found;
}

bool newest_is_pushed_out(const Record& record) {
  return judge(record, Question::held_first, 1).verdict == Verdict::miss;
}

std::int64_t block_ahead_that_tells(const Record& record) {
  return std::max<std::int64_t>(1, reach_blocks(record) / 2);
}

bool adapts(const Record& record) { return edge_of(record, Question::held_in_stream).has_value(); }

std::optional<double> bus_rev_per_block(const Record& record) {
  // The least response of each size: delays only add.
  std::optional<double> small, large;
  double blocks = 0;
  for (const Observation& seen : record.observations) {
    const auto response = static_cast<double>(seen.response_ns());
    if (seen.question == Question::reread) {
      small = std::min(small.value_or(response), response);
    } else if (seen.question == Question::large_hit) {
      large = std::min(large.value_or(response), response);
      blocks = static_cast<double>(seen.x);
    }
  }
  if (!small || !large || blocks < 2) return std::nullopt;
  return std::max(0.0, *large - *small) / (blocks - 1) / record.setting.period_ns;
}

std::vector<ArrivalSample> arrival_samples(const Record& record, Question question) {
  std::vector<ArrivalSample> samples;
  for (const Observation& seen : record.observations)
    if (seen.question == question)
      samples.push_back(
          {seen.phase_rev, static_cast<double>(seen.response_ns()) / record.setting.period_ns});
  return samples;
}

ArrivalFit fit_arrival(const Record& record, Question question) {
  double blocks_rev = 0, blocks = 0;
  std::vector<double> behind_first_rev;
  for (const Observation& seen : record.observations) {
    if (seen.question != question) continue;
    behind_first_rev.push_back(static_cast<double>(seen.response_ns()) / record.setting.period_ns -
                               seen.ahead_rev);
    blocks = seen.blocks;
    blocks_rev = std::min(1.0, blocks / static_cast<double>(seen.x));
  }
  std::optional<double> bus = bus_rev_per_block(record);
  if (bus) {
    *bus *= blocks;
  } else if (!behind_first_rev.empty()) {
    // No hit told of the bus; what takes longer than the blocks pass the heads is its time.
    const double transfer_rev = statistics::median(behind_first_rev) - Responses(record).late_rev();
    if (transfer_rev > blocks_rev + kWaits_rev && record.setting.angles_trusted) bus = transfer_rev;
  }
  return fit_arrival(arrival_samples(record, question), blocks_rev, bus);
}

bool bus_hides_arrival(const Record& record, std::uint32_t blocks) {
  constexpr double kSlowBus = 0.9;  // of the media's time
  const auto bus = bus_rev_per_block(record);
  return bus &&
         *bus * blocks >
             kSlowBus * std::min(1.0, blocks / static_cast<double>(record.setting.track_blocks));
}

namespace {

RunLength length_of(std::vector<double> lengths) {
  std::ranges::sort(lengths);
  const std::size_t n = lengths.size();
  RunLength run;
  run.runs = n;
  run.median = statistics::median(lengths);
  // Half the interquartile range as the spread; 1.25 / sqrt(n) of a sigma for a median.
  const double sigma = (lengths[(3 * n) / 4] - lengths[n / 4]) / 1.349;
  run.error = 1.25 * sigma / std::sqrt(static_cast<double>(n));
  return run;
}

}  // namespace

std::optional<RunLength> run_length(const Record& record, Question question) {
  std::vector<double> lengths;
  std::size_t unbroken = 0;
  const double usual = usual_write_ns(record);
  std::int64_t last = 0;
  const auto end_run = [&](bool broken) {
    if (last == 0) return;
    lengths.push_back(static_cast<double>(broken ? last - 1 : last));
    unbroken += broken ? 0 : 1;
    last = 0;
  };
  for (const Observation& seen : record.observations) {
    if (seen.question != question) continue;
    if (seen.x <= last) end_run(false);
    last = seen.x;
    if (seen.x > 1 &&
        static_cast<double>(seen.response_ns()) > longest_ns(record, usual, seen.blocks))
      end_run(true);
  }
  end_run(false);
  if (lengths.empty()) return std::nullopt;
  RunLength run = length_of(lengths);
  run.bound = 2 * unbroken > lengths.size();
  return run;
}

std::optional<RunLength> taken_at_rest(const Record& record, Question question) {
  if (!record.setting.angles_trusted) return std::nullopt;
  const double usual = usual_write_ns(record);
  std::vector<double> lengths;
  double passes_ns = 0;
  bool ended = false;
  for (const Observation& seen : record.observations) {
    if (seen.question != question) continue;
    if (seen.x == 1) {
      lengths.push_back(0);
      passes_ns = static_cast<double>(seen.issued_ns) +
                  (seen.ahead_rev - kAngleUnsure_rev) * record.setting.period_ns;
      ended = seen.ahead_rev < 0;
    }
    ended |= static_cast<double>(seen.completed_ns) > passes_ns ||
             (seen.x > 1 &&
              static_cast<double>(seen.response_ns()) > longest_ns(record, usual, seen.blocks));
    if (!ended && !lengths.empty()) ++lengths.back();
  }
  if (lengths.empty()) return std::nullopt;
  return length_of(lengths);
}

}  // namespace platter::cache_probe

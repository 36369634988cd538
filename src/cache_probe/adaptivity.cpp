// Whether the number of segments follows the load: fewer and longer ones behind a stream, more
// again for reads all over the drive; and after how many requests.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cache_probe/division.h"
#include "cache_probe/estimator.h"
#include "cache_probe/facts.h"
#include "cache_probe/read_properties.h"

namespace platter::cache_probe {

namespace {

using model::absent;
using model::Parameter;

// Chosen: a stream that every drive of the catalogue sees as one, and steps that few probes take.
constexpr std::int64_t kStream = 64;  // reads
constexpr std::int64_t kTracks = 2;   // of a request that is larger than a segment
constexpr double kReadAhead = 64;     // blocks, so that those of a stream are hits
constexpr double kLarger = 1.25;      // than what a segment holds else

// Whether there are fewer and larger segments under a load of one stream.
void fewest_segments(Estimator& e) {
  model::Cache& c = e.cache();
  const auto tallies = tallies_of(e.record(), Question::held_in_stream);
  const auto size = segment_size(e.record());
  const auto count = segment_count(e.record());
  if (tallies.empty() || !size || !count) {
    c.adaptive_min_segments = absent(
        "segments and their size are not known well enough, or the drive takes no request larger "
        "than one");
    return;
  }
  const std::string method = "first block of large requests at the end of a sequential stream";
  std::uint64_t samples = 0;
  for (const auto& [x, tally] : tallies) samples += tally.all();
  const auto edge = edge_of(e.record(), Question::held_in_stream);
  if (!edge) {
    const Judgement first = judge(tallies.begin()->second);
    c.adaptive_min_segments = first.verdict == Verdict::miss
                                  ? measured(0, first.error, samples, method)
                                  : absent(e.missing());
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
  e.note(
      fmt::format("adaptive: {:.0f} segments under requests all over the drive, {:.0f} in a "
                  "sequential stream, where one holds {} blocks and more",
                  count->count, fewest, edge->last_hit));
}

// After how many requests it is looked at how many there are to be.
void window(Estimator& e) {
  Parameter& window = e.cache().adaptive_window_requests;
  if (!(e.cache().adaptive_min_segments.value > 0)) {
    window = absent(e.cache().adaptive_min_segments
                        ? "the number of segments does not follow the load"
                        : e.cache().adaptive_min_segments.reason);
    return;
  }
  const Divisions found = divisions_of(load_changes(e.record()));
  const Division division = found.likeliest();
  if (!found.proven()) {
    window = absent(found.changes == 0 ? "no request was seen at which the buffer was divided anew"
                                       : e.missing());
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

}  // namespace

void read_stream(Prober& prober, std::uint64_t lbn, std::int64_t reads, const ReadBlocks& read) {
  const auto size = segment_size(prober.record());
  const auto held = static_cast<std::uint32_t>(
      size ? std::clamp(size->blocks - size->error, 1.0, kReadAhead) : 1);
  std::uint64_t end = lbn;
  for (std::int64_t i = 0; i < reads; ++i) {
    const bool fill = held > 1 && lbn == end;
    read(lbn, fill ? held : 1);
    fill ? end += held : ++lbn;
  }
}

void test_adaptivity(Prober& prober) {
  const Record& record = prober.record();
  const auto size = segment_size(record);
  const auto count = segment_count(record);
  if (!size || !count || size->bound || size->only_ahead || count->random || count->bound) return;
  // A stream long enough for any drive to see it as one, then a request elsewhere (what the stream
  // itself left is of many sizes). The first of them is for drives that look at the load seldom.
  bool missed = false;
  const auto trial = [&](std::int64_t x) {
    const std::int64_t stream = missed ? kStream : reads_to_divide(record);
    const auto place = clean_place_for(prober, Kind::any, stream);
    const auto other = place_for_large(prober, x, reach_blocks(record));
    if (!place || !other) return false;
    read_stream(prober, place->first, stream, [&](std::uint64_t lbn, std::uint32_t blocks) {
      prober.context().drive.read(lbn, blocks);
    });
    prober.refresh_angle();
    prober.read(other->lbn, static_cast<std::uint32_t>(x));
    // The first block that nothing read behind pushes out of a segment that holds so many.
    const std::int64_t pushed = read_behind(record, other->setup.to_track_end,
                                            other->setup.to_cylinder_end);
    prober.probe(Question::held_in_stream, x, other->lbn + static_cast<std::uint64_t>(pushed),
                 pushed > 0 ? reading_rev(prober, pushed) : 0, other->setup);
    missed = !adapts(record);
    return true;
  };
  const double all = size->blocks * count->count;
  auto low = static_cast<std::int64_t>(kLarger * (size->blocks + 2 * size->error)) + 2;
  const std::int64_t longest = prober.context().drive.most_blocks();
  if (low > longest) return;
  if (prober.decide(Question::held_in_stream, low, trial) != Verdict::hit) return;
  auto high = static_cast<std::int64_t>(all) + 1;
  const auto holds = [&](std::int64_t x) {
    const bool hit = prober.decide(Question::held_in_stream, x, trial) == Verdict::hit;
    (hit ? low : high) = x;
  };
  const std::int64_t tracks = kTracks * prober.places().track_blocks();
  if (tracks > low && tracks < high && tracks <= longest) holds(tracks);
  if (record.setting.map_known) test_division(prober, low);
  // So many blocks in a segment leave room for so many segments: until only one number is left.
  while (low + 1 < high && !prober.spent() &&
         std::ceil(all / static_cast<double>(high)) < std::floor(all / static_cast<double>(low))) {
    const std::int64_t next = std::min((low + high) / 2, 2 * low);
    if (next > longest) break;
    holds(next);
  }
  // As many segments again as there were for the tests behind.
  read_all_over(prober, reads_to_divide(record));
  read_scattered(prober, kStream, 1, 0);
}

void estimate_adaptivity(Estimator& e) {
  if (const auto reason = e.without_read_cache()) {
    e.cache().adaptive_min_segments = e.cache().adaptive_window_requests = absent(*reason);
    return;
  }
  fewest_segments(e);
  window(e);
}

}  // namespace platter::cache_probe

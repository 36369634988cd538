#include "cache_probe/properties.h"

#include "cache_probe/exercise.h"
#include "cache_probe/lookup.h"
#include "cache_probe/read_properties.h"
#include "cache_probe/write_properties.h"

namespace platter::cache_probe {
namespace {

using C = model::Cache;
using model::absent;

template <void (*test)(Prober&)>
void reads(Questioner& ask) {
  test(ask.prober);
}

// Only where writes are allowed, and there is room for them.
template <void (*test)(Prober&, Targets&)>
void writes(Questioner& ask) {
  if (ask.writable.empty()) return;
  if (!ask.targets) ask.targets.emplace(ask.prober, ask.writable);
  if (ask.targets->any()) test(ask.prober, *ask.targets);
}

void whole_track_writes(Questioner& ask) {
  if (!ask.writable.empty()) test_zero_latency_write(ask.prober, ask.writable);
}

void exercise(Questioner& ask) {
  exercise_cache(ask.prober, ask.targets ? ask.targets->all() : std::vector<std::uint64_t>{});
}

// No test of its own asks for these: cache_check may choose them by the answers to the exercise.
void estimate_open_policies(Estimator& e) {
  C& c = e.cache();
  for (model::Parameter* p :
       {&c.stop_read_ahead_in_sector, &c.write_hit_stops_read_ahead, &c.almost_read_hits})
    *p = absent("not tested");
  c.destage_order = absent(!c.destage_behind ? c.destage_behind.reason
                           : c.destage_behind.value == 1
                               ? "the probes did not decide it"
                               : "no dirty data were seen to delay other dirty data");
  c.destage_in_passing = absent("not tested");
}

}  // namespace

std::span<const Property> properties() {
  static const std::vector<Property> kTable = {
      {"controls", {}, {}, reads<test_miss_control>, nullptr, "blocks that no cache can hold"},
      {"read caching",
       {&C::read_enabled, &C::discards_after_transfer},
       {"controls"},
       reads<test_read_caching>,
       estimate_read_caching,
       "a block again, and the next block"},
      {"read-ahead",
       {&C::read_ahead, &C::read_ahead_max_blocks, &C::read_ahead_over_requested,
        &C::read_ahead_after_sequential, &C::read_ahead_by_request, &C::read_ahead_ceiling_blocks,
        &C::read_ahead_longest_request_blocks},
       {"read caching"},
       reads<test_read_ahead>,
       estimate_read_ahead,
       "blocks after reads that end at and before the ends of tracks and cylinders"},
      {"segment size",
       {},
       {"read-ahead"},
       reads<test_segment_size>,
       nullptr,
       "the first and the last blocks of requests that are larger than a segment"},
      {"segment count",
       {},
       {"segment size"},
       reads<test_segment_count>,
       nullptr,
       "the oldest of more and more reads on distinct cylinders"},
      {"replacement",
       {&C::replacement},
       {"segment count"},
       reads<test_replacement>,
       estimate_replacement,
       "the oldest of as many reads as there are segments, read again before one more"},
      {"shared buffer",
       {},
       {"segment count"},
       reads<test_shared_buffer>,
       nullptr,
       "the oldest of reads that fill their segments"},
      {"adaptivity",
       {&C::adaptive_min_segments, &C::adaptive_window_requests},
       {"segment count", "segment size"},
       reads<test_adaptivity>,
       estimate_adaptivity,
       "requests that are larger than a segment, after a sequential stream"},
      {"stopped read-ahead",
       {&C::read_ahead_min_blocks, &C::read_ahead_abort, &C::read_ahead_resumes,
        &C::read_ahead_on_hit},
       {"read-ahead", "segment count"},
       reads<test_stopped_read_ahead>,
       estimate_stopped_read_ahead,
       "blocks after a read, right after the next read elsewhere; then once the drive was idle"},
      {"lookup",
       {},
       {"read-ahead"},
       reads<test_lookup>,
       nullptr,
       "blocks that the heads have just passed, or are about to",
       true},
      {"free blocks",
       {&C::read_free_blocks},
       {"segment size"},
       reads<test_free_blocks>,
       estimate_free_blocks,
       "a block before the request, the arm having come early",
       true},
      {"zero-latency reads",
       {&C::zero_latency_read},
       {"segment size"},
       reads<test_zero_latency_read>,
       estimate_zero_latency_read,
       "whole tracks, begun at known angles",
       true},
      {"write-back",
       {&C::write_back_level},
       {},
       writes<test_write_back>,
       estimate_write_back,
       "isolated writes, then sequential writes; with FUA, and SYNCHRONIZE CACHE"},
      {"written blocks",
       {&C::read_hit_on_written, &C::write_updates_segments},
       {"write-back", "segment count"},
       writes<test_reads_of_written>,
       estimate_reads_of_written,
       "a written block, and one read before beside it"},
      {"write segments",
       {},
       {"write-back", "segment size"},
       writes<test_write_segments>,
       nullptr,
       "scattered and sequential writes without pause, small and large, until one has to wait"},
      {"segments",
       {&C::segments, &C::segment_blocks, &C::buffer_blocks, &C::write_segments,
        &C::separate_write_segment, &C::combine_sequential_writes},
       {"segment size", "segment count", "shared buffer", "write segments"},
       writes<test_separate_write_segment>,
       estimate_segments,
       "the oldest of as many reads as there are segments, after a write"},
      {"destage",
       {&C::synchronize, &C::written_persist, &C::destage_behind, &C::destage_idle,
        &C::written_blocks},
       {"write-back", "write segments"},
       writes<test_destage>,
       estimate_destage,
       "SYNCHRONIZE CACHE after a write and pauses of many lengths"},
      {"zero-latency writes",
       {&C::zero_latency_write},
       {"write-back", "segment size"},
       whole_track_writes,
       estimate_zero_latency_write,
       "whole tracks, begun at known angles",
       true},
      {"exercise",
       {&C::stop_read_ahead_in_sector, &C::write_hit_stops_read_ahead, &C::almost_read_hits,
        &C::destage_order, &C::destage_in_passing},
       {"destage"},
       exercise,
       estimate_open_policies,
       "requests of all kinds in random order",
       true},
      {"common buffer",
       {},
       {"segment count", "segment size", "shared buffer"},
       reads<test_common_buffer>,
       nullptr,
       "the first of several large requests, of more and more blocks in all"},
      {"streams",
       {&C::read_ahead_streams, &C::read_ahead_fixed_end, &C::segments_grow},
       {"stopped read-ahead", "common buffer"},
       reads<test_streams>,
       estimate_streams,
       "sequential reads without a pause; blocks behind the end of read-ahead after a hit on the "
       "way; what goes on in the oldest of several streams"},
  };
  return kTable;
}

}  // namespace platter::cache_probe

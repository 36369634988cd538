// In which order the blocks of a track are read, by requests begun at known angles.
#include <algorithm>
#include <cmath>

#include "cache_probe/facts.h"
#include "cache_probe/read_tests.h"

namespace platter::cache_probe {
namespace {

constexpr int kBusSamples = 3;
constexpr double kShortRequest = 0.5;  // of a track

// Reads of so many blocks from the beginning of tracks, begun at known angles.
void sample_reads(Prober& prober, std::uint32_t blocks) {
  const double finish_rev = until_free_rev(prober);
  const std::uint32_t track = prober.places().track_blocks();
  sample_arrival(prober, Question::whole_track_read, blocks, [&](double ahead_rev) {
    const auto place = clean_place_for(prober, Kind::any, track);
    if (!place) return false;
    prober.refresh_angle();
    prober.read(place->last + 1 + place->blocks() / 2);
    prober.rest_until(place->first, finish_rev, ahead_rev, ahead_rev);
    const double phase = prober.angle_now_rev() - prober.angle_rev(place->first);
    const auto done = prober.read(place->first, std::min(blocks, place->blocks()));
    prober.keep(Question::whole_track_read, place->track.sectors, done, place->first, blocks, false,
                setup_of(*place, place->first, blocks), phase - std::floor(phase));
    return true;
  });
}

}  // namespace

void test_zero_latency_read(Prober& prober) {
  const Record& record = prober.record();
  const auto size = segment_size(record);
  const std::uint32_t track = prober.places().track_blocks();
  const std::uint32_t kept = size && !size->only_ahead && size->blocks < track
                                 ? static_cast<std::uint32_t>(size->blocks)
                                 : track;
  const std::uint32_t blocks = std::min(kept, prober.context().drive.most_blocks());
  if (blocks < 4) return;
  const std::uint32_t half = blocks / 2;
  for (int i = 0; i < kBusSamples && retained(record) && !prober.spent(); ++i) {
    const auto place = clean_place_for(prober, Kind::any, track);
    if (!place) return;
    prober.refresh_angle();
    prober.read(place->first, half);
    const auto again = prober.context().drive.read(place->first, half);
    prober.keep(Question::large_hit, half, again, place->first, half, false,
                setup_of(*place, place->first, half));
  }
  if (bus_hides_arrival(record, blocks)) return;
  sample_reads(prober, blocks_that_tell(prober, blocks));
}

void sample_arrival(Prober& prober, Question question, std::uint32_t blocks,
                    const std::function<bool(double ahead_rev)>& sample, int samples) {
  for (int i = 0; i < samples && !prober.spent(); ++i)
    if (!sample((i + 0.5) / samples)) return;
  // A short request is seldom met in its middle by chance.
  const double share = blocks / static_cast<double>(prober.places().track_blocks());
  if (share > kShortRequest) return;
  for (const double phase : telling_phases(arrival_samples(prober.record(), question), share)) {
    if (prober.spent()) return;
    sample(1 - phase);
  }
}

}  // namespace platter::cache_probe

// Whether a track's part of a request may begin in its middle (zero-latency access): requests for
// whole tracks begun at known angles.
#include <algorithm>
#include <cmath>

#include "cache_probe/arrival_fit.h"
#include "cache_probe/estimator.h"
#include "cache_probe/facts.h"
#include "cache_probe/read_properties.h"
#include "cache_probe/write_properties.h"

namespace platter::cache_probe {

namespace {

using model::absent;
using model::Parameter;

constexpr const char* kMasked =
    "the bus is about as slow as the media or slower, so the order of access does not show";

// Chosen: phases enough to tell two hypotheses apart; fewer where each takes long.
constexpr int kBusSamples = 3;

constexpr int kWriteArrivals = 12, kArrivalsOverSlowBus = 8;  // there each takes long

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

Parameter on_arrival(Estimator& e, Question question, const std::string& method) {
  const std::vector<ArrivalSample> samples = arrival_samples(e.record(), question);
  if (samples.empty()) {
    const auto size = segment_size(e.record());
    const double track = e.record().setting.track_blocks;
    const double most = size && !size->only_ahead ? std::min(size->blocks, track) : track;
    const bool hidden = question == Question::whole_track_read &&
                        bus_hides_arrival(e.record(), static_cast<std::uint32_t>(most));
    return absent(hidden ? kMasked : e.missing());
  }
  const ArrivalFit fit = fit_arrival(e.record(), question);
  switch (fit.answer) {
    case ArrivalFit::Answer::on_arrival:
    case ArrivalFit::Answer::in_order:
      return measured(fit.answer == ArrivalFit::Answer::on_arrival ? 1 : 0,
                      std::min(0.5, fit.residual_rev / std::max(1e-9, fit.other_residual_rev)),
                      samples.size(), method);
    case ArrivalFit::Answer::hidden:
      return absent(kMasked);
    case ArrivalFit::Answer::unclear:
      break;
  }
  return absent("response times fit neither access in order nor access on arrival");
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
  const auto large_hit = [&] {
    const auto place = clean_place_for(prober, Kind::any, track);
    if (!place) return false;
    prober.refresh_angle();
    prober.read(place->first, half);
    const auto again = prober.context().drive.read(place->first, half);
    prober.keep(Question::large_hit, half, again, place->first, half, false,
                setup_of(*place, place->first, half));
    return true;
  };
  for (int i = 0; i < kBusSamples && retained(record) && !prober.spent(); ++i)
    if (!prober.tolerate(large_hit)) return;
  if (bus_hides_arrival(record, blocks)) return;
  sample_reads(prober, blocks_that_tell(prober, blocks));
}

void estimate_zero_latency_read(Estimator& e) {
  e.cache().zero_latency_read = on_arrival(e, Question::whole_track_read,
                                           "fit to whole-track reads begun at known phases");
}

void test_zero_latency_write(Prober& prober, const std::vector<LbnRange>& writable) {
  const Record& record = prober.record();
  scsi::Drive& drive = prober.context().drive;
  const auto place = track_to_write(prober, writable);
  if (!place) return;
  const auto size = segment_size(record);
  std::uint32_t blocks = std::min(place->blocks(), drive.most_blocks());
  if (size && size->blocks < blocks) blocks = static_cast<std::uint32_t>(size->blocks);
  if (blocks < 4) return;
  if (!bus_hides_arrival(record, blocks))
    blocks = std::min(place->blocks(), blocks_that_tell(prober, blocks));
  blocks = drive.physical_blocks().rounded_down(blocks);
  if (blocks == 0) return;
  drive.learn_contents(place->first, blocks);
  const bool cached = writes_cached(record);
  const bool forced = cached && judge(record, Question::write_forced, 0).verdict == Verdict::miss;
  // Nothing tells when the data are on the media.
  if (cached && !forced && !synchronize(prober)) return;
  sample_arrival(
      prober, Question::whole_track_write, blocks,
      [&](double ahead_rev) {
        come_to(prober, *place, ahead_rev);
        const double phase = prober.angle_now_rev() - prober.angle_rev(place->first);
        // FUA where it waits for the media, else what SYNCHRONIZE CACHE waits for.
        auto done = drive.write(place->first, blocks, forced);
        if (cached && !forced) done.completed_ns = drive.synchronize_cache().completed_ns;
        prober.keep(Question::whole_track_write, place->track.sectors, done, place->first, blocks,
                    true, Setup{blocks, 0, 0}, phase - std::floor(phase));
        return true;
      },
      bus_hides_arrival(record, blocks) ? kArrivalsOverSlowBus : kWriteArrivals);
}

void estimate_zero_latency_write(Estimator& e) {
  e.cache().zero_latency_write = e.record().setting.writes_allowed
                                     ? on_arrival(e, Question::whole_track_write,
                                                  "fit to whole-track writes begun at known phases")
                                     : absent(kNotWritten);
}

}  // namespace platter::cache_probe

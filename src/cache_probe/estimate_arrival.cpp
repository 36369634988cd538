// Whether a track's part of a request may begin in its middle.
#include <algorithm>

#include "cache_probe/arrival_fit.h"
#include "cache_probe/estimator.h"

namespace platter::cache_probe {

using model::absent;
using model::Parameter;

namespace {

constexpr const char* kHidden =
    "the bus is about as slow as the media or slower, so the order of access does not show";

}  // namespace

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
  cache().zero_latency_read = on_arrival(Question::whole_track_read,
                                         "fit to whole-track reads begun at known phases");
}

}  // namespace platter::cache_probe

#include "replay/delays.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/stand_ins.h"

namespace platter::replay {
namespace {

// The median's, beyond the least.
double usual_ms(const model::DriveModel& model) {
  return std::max(0.0, -model.delay_spread->quantiles.front().ms);
}

// What of that does not fit in front of the cache.
double rest_ms(const model::DriveModel& model) {
  return std::max(0.0, usual_ms(model) - *model.overheads.per_request.value);
}

void shorten(model::Parameter& overhead, double by_ms) {
  if (overhead) overhead.value = std::max(0.0, *overhead.value - by_ms);
}

Nanoseconds whole_ns(double ms) { return static_cast<Nanoseconds>(std::llround(ms * 1e6)); }

}  // namespace

double delay_ms(const std::vector<model::DelayQuantile>& quantiles, double share) {
  const auto right = std::ranges::upper_bound(quantiles, share, {}, &model::DelayQuantile::share);
  if (right == quantiles.end()) return quantiles.back().ms;
  const auto left = right - 1;
  return left->ms + (right->ms - left->ms) * (share - left->share) / (right->share - left->share);
}

bool tells_delays(const model::DriveModel& model) {
  return model.delay_spread && model::acting(model, model.overheads.per_request) > 0;
}

model::DriveModel without_delays(model::DriveModel model) {
  const double usual = usual_ms(model), rest = rest_ms(model);
  model::Overheads& o = model.overheads;
  shorten(o.per_request, usual);
  for (model::Parameter* overhead :
       {&o.read_hit_after_read, &o.read_hit_after_write, &o.read_miss_after_read,
        &o.read_miss_after_write, &o.write_hit_after_read, &o.write_hit_after_write,
        &o.write_miss_after_read, &o.write_miss_after_write})
    shorten(*overhead, rest);
  return model;
}

Delays::Delays(const model::DriveModel& model, std::uint64_t seed)
    : quantiles_(model.delay_spread->quantiles),
      sooner_ns_(whole_ns(rest_ms(model))),
      random_(seed) {}

Delays Delays::of_seed(std::uint64_t seed) const {
  Delays other = *this;
  other.random_.seed(seed);
  return other;
}

OnTheWay Delays::draw() {
  const double share = static_cast<double>(random_() >> 11) * 0x1p-53;  // from 0 to less than 1
  const Nanoseconds all_ns = whole_ns(delay_ms(quantiles_, share) - quantiles_.front().ms);
  const Nanoseconds there_ns = std::max<Nanoseconds>(0, all_ns / 2 - sooner_ns_);
  return {there_ns, all_ns - there_ns};
}

}  // namespace platter::replay

// The delay of the host that measured a model, drawn anew for each request, around a model without
// it. A few us decide whether a read that carries on still finds its block under way or waits a
// revolution.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "model/drive_model.h"
#include "model/units.h"

namespace platter::replay {

// What the median host delays a request by is in the model's times: in overheads.per_request what
// passes before the drive looks into its cache. Draws go around a model that lacks what the median
// has beyond the least delay.
bool tells_delays(const model::DriveModel& model);  // both of them, delay_spread and per_request
model::DriveModel without_delays(model::DriveModel model);

// At a share of the requests, linear between the quantiles, of which there are some.
double delay_ms(const std::vector<model::DelayQuantile>& quantiles, double share);

struct OnTheWay {
  Nanoseconds there_ns = 0, back_ns = 0;
};

class Delays {
 public:
  // Of a model that tells them.
  explicit Delays(const model::DriveModel& model, std::uint64_t seed = 0);
  Delays of_seed(std::uint64_t seed) const;  // the same delays, drawn otherwise

  // Half of it on the way there, half on the way back, for no host can tell; but for what would be
  // there before it was sent.
  OnTheWay draw();

 private:
  std::vector<model::DelayQuantile> quantiles_;
  Nanoseconds sooner_ns_;  // the cache is looked into, than half of the median delay allows
  std::mt19937_64 random_;
};

}  // namespace platter::replay

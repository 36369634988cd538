// The engine answers the exercise from a model, at the times at which the drive got its requests.
// Pure.
#pragma once

#include <vector>

#include "cache_probe/exercise.h"
#include "cache_probe/record.h"
#include "cache_probe/responses.h"
#include "engine/engine.h"
#include "model/drive_model.h"

namespace platter::cache_check {

using cache_probe::Exercise;
using cache_probe::Observation;
using cache_probe::Question;
using cache_probe::Record;
using cache_probe::Responses;

inline bool from_media_for_sure(const Observation& seen) {
  return seen.exercise == Exercise::elsewhere || seen.exercise == Exercise::setup;
}

// What the drive's times are off the model's by, from request to request.
struct TimeNoise {
  std::vector<double> host_ns;  // each hit's, beside their median
  double positioning_ns = 0;    // one standard deviation
};

class ModelAnswers {
 public:
  // `draws`: so many random choices were made before; and the number of the draw of the noise.
  // Throws Error(bad_input) where the model answers no requests.
  ModelAnswers(const Record& record, const model::DriveModel& model, int draws = 0,
               const TimeNoise& noise = {});

  std::size_t size() const { return seen_.size(); }
  const Observation& seen(std::size_t i) const { return *seen_[i]; }
  // How much likelier a hit than a miss the drive would be, if it answered as the model does.
  double log_ratio(std::size_t i, const Responses& responses) const;
  TimeNoise time_noise(const Responses& responses) const;
  // Mean error of the responses of writes without pause.
  double burst_error_ns() const;

 private:
  double response_ns(std::size_t i) const { return static_cast<double>(responses_[i]); }
  void play(Nanoseconds phase_ns);
  void draw_before(Nanoseconds begin_ns);

  double period_ns_;
  Nanoseconds on_its_way_ns_;  // a command, before the drive looks into its cache
  int draws_;
  TimeNoise noise_;
  engine::Engine engine_;
  std::vector<const Observation*> seen_;
  std::vector<Nanoseconds> responses_;
};

}  // namespace platter::cache_check

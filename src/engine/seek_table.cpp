#include "engine/seek_table.h"

#include <cmath>

#include "model/error.h"

namespace platter::engine {

SeekTable::SeekTable(const model::Seek& seek) {
  for (const auto& point : seek.points) {
    if (!std::isfinite(point.time_ms) || point.time_ms < 0 || point.time_ms > 60'000)
      throw Error(ExitStatus::bad_input,
                  "the model's seek curve has a time that is none; correct the model file");
    if (point.cylinders == 0 ||
        (!points_.empty() && point.cylinders <= points_.back().cylinders))
      throw Error(ExitStatus::bad_input,
                  "the model's seek curve does not ascend by distance; correct the model file");
    points_.push_back({point.cylinders, from_ms(point.time_ms)});
  }
  if (points_.empty())
    throw Error(ExitStatus::bad_input,
                "the model has no seek curve; measure or import one before it can run");
  // A curve of one point is flat.
  if (points_.size() == 1) points_.push_back({points_[0].cylinders + 1, points_[0].time_ns});
}

}  // namespace platter::engine

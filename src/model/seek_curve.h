// Reading the seek curve of a model between its points.
#pragma once

#include <optional>

#include "model/drive_model.h"

namespace platter::model {

// Time of a read seek over a distance: linear between points, past the last by the line through the
// last two (through the only one: its time), 0 at 0. The curve must have points.
double seek_time_ms(const Seek& seek, double cylinders);

// Standard error there: the larger one of the points around it; none if one of them states none.
std::optional<double> seek_error_ms(const Seek& seek, double cylinders);

// Mean over all pairs of two different cylinders out of `cylinders` (at least 2), each as likely.
double average_seek_ms(const Seek& seek, std::uint32_t cylinders);

}  // namespace platter::model

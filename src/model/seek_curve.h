// Reading the seek curve of a model between its points.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>

#include "model/drive_model.h"

namespace platter::model {

// Time of a read seek over a distance: linear between points, past the last by the line through the
// last two (through the only one: its time), 0 at 0. The curve must have points.
double seek_time_ms(const Seek& seek, double cylinders);

// The distances at which any of the curves has a point.
std::set<std::uint32_t> seek_distances(std::initializer_list<const Seek*> curves);

// What seeks of reads to lower cylinders, and of writes to higher ones, take by a model that may
// have no curves of their own for them. Times below 0 are 0.
Seek outward_seek(const DriveModel& model);
Seek write_seek(const DriveModel& model);

// Of reads, the mean of both directions.
Seek mean_seek(const DriveModel& model);

// Standard error there: between points that of the points around it, and what the curve may stray
// from the line between them by how far nearby points lie off the lines between their own
// neighbours. None if one of the points around it states none.
std::optional<double> seek_error_ms(const Seek& seek, double cylinders);

// Mean over all pairs of two different cylinders out of `cylinders` (at least 2), each as likely.
double average_seek_ms(const Seek& seek, std::uint32_t cylinders);

}  // namespace platter::model

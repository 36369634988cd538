// What a drive does that no model here expresses, and how much that is: commands that waited longer
// than anything that moves explains, and what remains between a model's predictions and the drive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/layout_map.h"
#include "estimate/samples.h"
#include "model/drive_model.h"
#include "replay/result.h"

namespace platter::extract {

struct Pauses {
  std::size_t commands = 0;       // timed ones of the whole run
  std::size_t paused = 0;         // of these waited so long
  double mean_ms = 0;             // beyond what is usual
  double observed_s = 0;          // from the first command to the last
  std::optional<double> every_s;  // median time between them; nullopt: fewer than two

  // Of requests that begin `apart_ms` one after the other the share that waits so. Whether the
  // drive goes by the clock or by its work is not known: the larger.
  double share(double apart_ms) const;
  // The root mean square distance that they alone make between the response times of drive and
  // model.
  double demerit_ms(double apart_ms) const;
};

// The longest that seek, switch, overheads and two revolutions explain of a command of one block.
double longest_of_one_block_ms(const model::DriveModel& model);

// A pause is longer than the longest seek, a switch, the overheads and two revolutions together.
// Pure.
Pauses pauses_of(const estimate::Samples& samples, const model::DriveModel& model);

// A sentence for the model's validity, or none. `by_drive`: some of them are known to be the
// drive's.
std::optional<std::string> told(const Pauses& pauses, double request_ms, bool by_drive);

// What remains between the drive's responses and the model's, which got every request when the
// drive did: those that are off by a revolution, by kind, from request `from` on. None where they
// are few. Pure.
std::optional<std::string> what_remains(const replay::Result& drive, const replay::Result& model,
                                        const engine::LayoutMap& map, std::size_t from,
                                        double period_ms);

// With the caches on, hits and misses part the two in time: only requests tell that took longer
// than every one of the model's, by more than three revolutions. From request `from` on; none:
// there is no such. Pure.
std::optional<std::string> what_takes_longer(const replay::Result& drive,
                                             const replay::Result& model, std::size_t from,
                                             double period_ms);

}  // namespace platter::extract

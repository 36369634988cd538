// How long the platter turned, on average, before the sector came: half a revolution, for blocks
// drawn at random. A check of raw samples against a model that does not look at the phase.
#pragma once

#include <cstdint>
#include <optional>

#include "model/drive_model.h"
#include "replay/result.h"

namespace platter::replay {

struct MeanDelay {
  double mean_ns = 0, error_ns = 0;  // one standard error
  std::uint64_t accesses = 0;
};

// Of single requests at random with the caches off: each response, less what the model predicts for
// it averaged over all angles of the platter, is its rotational delay less half a revolution.
// nullopt: fewer than 30 of them, or the model lacks blocks that they read. Throws Error(bad_input)
// for a model that lacks what an engine needs. Pure.
std::optional<MeanDelay> mean_rotational_delay(const Result& random,
                                               const model::DriveModel& model);

}  // namespace platter::replay

// The spindle where neither neighbours are accessed nor the model's skews are right: its period and
// the skews of the largest zones, found together.
#pragma once

#include <optional>
#include <span>

#include "calibrate/accesses.h"
#include "calibrate/coherence.h"
#include "calibrate/skew_search.h"
#include "model/drive_model.h"

namespace platter::calibrate {

struct BlindSpindle {
  Spindle spindle{};
  ZoneCorrection skews{};  // of the zone that tells it best
};

// At periods about the model's, those nearest to it first, all skews of the eight largest zones are
// tried, as far as 2e9 turns of a vector go: a few seconds. nullopt: at none of them the accesses
// keep step beyond chance (1e-6 of all zones together, everything that was tried counted).
std::optional<BlindSpindle> find_spindle_blind(const model::Layout& layout,
                                               std::span<const Access> accesses, double nominal_ns);

}  // namespace platter::calibrate

// Where each zone's tracks really begin: one angle, one skew from head to head and one from
// cylinder to cylinder for each zone, found from the angles at which accesses completed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "calibrate/accesses.h"
#include "calibrate/coherence.h"
#include "model/drive_model.h"

namespace platter::calibrate {

// What is added to the angle of a track of the zone, in revolutions: angle + per_head * (head -
// that of the zone's first track) + per_cylinder * (cylinder - its) + per_range * (number of whole
// ranges of `range` cylinders before it).
struct ZoneCorrection {
  double angle = 0, per_head = 0, per_cylinder = 0, per_range = 0;
  std::uint32_t range = 0;  // cylinders; 0: the zone has none
  double angle_error = 0, per_head_error = 0, per_cylinder_error = 0;
};

struct ZoneAngles {
  std::size_t zone = 0;
  std::size_t accesses = 0;
  bool identified = false;                           // its accesses keep step beyond chance
  bool changed = false;                              // beyond its errors
  double coherence_before = 0, coherence_after = 0;  // length of the mean vector
  ZoneCorrection correction{};
};

struct AngleFit {
  std::vector<ZoneAngles> zones{};  // all, in the layout's order
  double spread_rev = 0;            // of one access about the corrected angles
  double drift = 0;                 // what the period is still too short by, as a share of it
  std::size_t accesses = 0;
};

// Accesses on one track each, in order of time.
AngleFit fit_zone_angles(const model::Layout& layout, std::span<const Access> accesses,
                         const Spindle& spindle);

// Cylinders after which a zone's spare sectors come again, where its skips say so; 0: they do not.
std::uint32_t spare_range_cylinders(const model::Layout& layout, std::size_t zone);

// The layout with the corrections of the zones that changed.
model::Layout corrected(const model::Layout& layout, const AngleFit& fit);

}  // namespace platter::calibrate

// Where each zone's tracks really begin: one angle, one skew from head to head and one from
// cylinder to cylinder for each zone, steps behind every so many cylinders, and an offset of each
// head that all zones share; found from the angles at which accesses completed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "calibrate/accesses.h"
#include "calibrate/coherence.h"
#include "calibrate/skew_search.h"
#include "model/drive_model.h"

namespace platter::calibrate {

struct ZoneAngles {
  std::size_t zone = 0;
  std::size_t accesses = 0;
  bool identified = false;  // its accesses keep step beyond chance
  bool changed = false;     // beyond its errors
  // Its accesses keep step far less well than those of the other zones: what it is, was not found.
  bool lags = false;
  double coherence_before = 0, coherence_after = 0;  // length of the mean vector
  ZoneCorrection correction{};
};

struct AngleFit {
  std::vector<ZoneAngles> zones{};  // all, in the layout's order
  double spread_rev = 0;            // of one access about the corrected angles
  double drift = 0;                 // what the period is still too short by, as a share of it
  std::size_t accesses = 0;
  double coherence = 0;  // the median of the zones that were found
  // Rev, to be added to all tracks of a head; empty: the heads do not differ beyond skews.
  std::vector<double> heads{}, head_errors{};
  std::vector<std::size_t> head_accesses{};
  // By how much accesses that follow one of the other kind (a read, a write) complete later on the
  // platter than those that follow one of their own, rev: of reads, of writes. 0: not beyond
  // errors.
  std::array<double, 2> after_other{}, after_other_error{};
};

// Accesses on one track each, in order of time. `likely`: skews that some zone has.
AngleFit fit_zone_angles(const model::Layout& layout, std::span<const Access> accesses,
                         const Spindle& spindle, std::span<const ZoneCorrection> likely = {});

// Cylinders after which a zone's spare sectors come again, where its skips say so; 0: they do not.
std::uint32_t spare_range_cylinders(const model::Layout& layout, std::size_t zone);

// The layout with the corrections of the zones that changed and the heads' offsets.
model::Layout corrected(const model::Layout& layout, const AngleFit& fit);

}  // namespace platter::calibrate

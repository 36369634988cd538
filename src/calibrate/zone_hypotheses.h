// What the tracks of one zone may be: as the model has them, as those of zones that are known, with
// skews or steps of their own. The likeliest is taken.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "calibrate/skew_search.h"

namespace platter::calibrate {

// What the zones that are known share.
struct Shared {
  std::vector<ZoneCorrection> skews{};
  std::set<std::uint32_t> ranges{};  // behind so many cylinders a step comes
  // Ranges that nothing hints at are tried too: not before the heads' offsets are off, for those of
  // few accesses look like anything.
  bool any_range = false;
};

// Of one zone.
struct Ranges {
  std::uint32_t hint = 0;     // that its spares tell; 0: they tell none
  std::uint32_t longest = 0;  // that the zone can have; 0: none
};

struct Chosen {
  ZoneCorrection correction{};
  bool beyond_chance = false;  // else the correction is that which came in
  double coherence_before = 0;
};

// Even skews in place of steps.
ZoneCorrection level_of(ZoneCorrection correction);

// The logarithm of the likelihood (`Sets::evidence`) less that of the number of hypotheses of a
// kind, for each is as likely as another; what has more to it than the one before must be a
// thousand times as likely.
Chosen choose_correction(const ZoneCorrection& now, std::span<const Sample> samples,
                         const Ranges& ranges, const Shared& shared);

}  // namespace platter::calibrate

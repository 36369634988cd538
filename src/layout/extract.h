// The LBN-to-physical map of a drive by address translation (DIXtrac, section 4.1): predict where
// blocks are, jump ahead in growing steps, and where the drive differs find out why.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "layout/mapper.h"
#include "layout/translator.h"
#include "model/drive_model.h"
#include "model/finding_kinds.h"

namespace platter::layout {

struct Options {
  std::uint64_t seed = 1;
  // Behind each defect that the drive lists as made up for when it was made; else behind a sample,
  // unless a block of that lies elsewhere.
  bool all_listed = true;
  std::uint64_t random_checks = 500;  // blocks that are looked up once the map is complete
  std::uint64_t translation_limit = 500'000;
  std::uint64_t grid_limit = 100'000;     // most units of spares checked one by one
  std::uint64_t listed_grid_limit = 100;  // the same where the drive lists its defects: a sample
  std::uint64_t spare_limit = 10'000;     // most spare sectors asked which block they hold
  // Most blocks looked up on tracks from which a block was remapped, the drive not saying where.
  std::uint64_t listed_track_limit = 50'000;
  // Told while the map grows; what it throws ends that.
  std::function<void(const Growth&)> grown;
};

struct Extraction {
  model::Layout layout;            // no zones and a reason where the drive does not translate
  std::uint64_t translations = 0;  // either way
  model::Notes notes;              // for the model's provenance
};

// Angles are left 0 and Layout::angle absent: translation knows none. Slot 0 of a track is its
// regular first one. Throws CannotMap: `protocol` where the answers are nonsense (beyond the
// geometry, contradictory, changing), `unsupported` where the layout follows no rule known here,
// `incomplete` where what was found does not add up. A map that is returned holds for every block
// that was looked up.
Extraction by_address_translation(Translator& drive, const Options& options = {});

}  // namespace platter::layout

// Drives of one product side by side, and which of them stand out.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fleet/figures.h"

namespace platter::fleet {

// A fleet without an outlier raises an alarm with at most this chance, over all its figures and all
// its drives.
constexpr double kFalseAlarm = 0.05;

// One figure by which one drive stands out.
struct Finding {
  std::size_t drive = 0, figure = 0;  // of their group
  std::string what;                   // "slow head"; else the figure's path and "high" or "low"
  double typical = 0;                 // of the others, in the figure's unit
  double in_spreads = 0;              // how far out; 0: the others are alike
  std::size_t others = 0, alike = 0;  // alike: equal to the typical one
  double chance = 0;                  // of one look
  double among_all = 0;               // among all looks; of a fact, that of the sign test
  bool fact = false;                  // the others are alike, and the figure states no error
  double resolution = 0;              // of a figure without a stated error, in its unit
};

struct Group {
  std::string vendor, product, revision;  // revision: where firmware makes groups
  std::vector<const Drive*> drives;
  std::vector<Figure> figures;
  bool unknown = false;           // their models name no product: nothing says that they are alike
  bool too_few = false;           // to tell outliers
  std::vector<Finding> findings;  // by drive, the least likely first
  // As unlikely, but of figures without a stated error that do not tell so little apart.
  std::vector<Finding> unresolved;

  std::vector<std::size_t> outliers() const;  // drives with a finding
};

struct Fleet {
  std::vector<Group> groups;  // by vendor, product, revision
  std::size_t looks = 0;      // how often a drive was held against others in a figure
};

// The drives must outlive the result. Throws Error(interrupted) if asked to stop.
Fleet side_by_side(std::span<const Drive> drives, bool by_firmware);

}  // namespace platter::fleet

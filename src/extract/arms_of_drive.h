// Drives with several arms: their ranges as VPD page B9h tells them, believed once reads at depth 2
// went on at once; and that experiments on an arm's moves keep to the blocks of one.
#pragma once

#include <vector>

#include "extract/findings.h"
#include "model/lbn_range.h"
#include "scsi/drive.h"

namespace platter::extract {

struct Rig;
struct Seen;

// Facts::arms, or a finding that says why the drive is measured as one with a single arm. Caches
// off, rotation known.
void find_arms(Rig& rig);
void take_arms(const Seen& seen, Findings& found);
// The context has the blocks of each.
void tell_arms(Rig& rig);
// The ranges end with the map, where there is one. false: the last of them lies beyond it, and the
// arms were taken out.
bool fit_arms_to_map(model::DriveModel& model);

void measure_interference(Rig& rig);

// While it lives, experiments leave out the blocks of all arms but the one with the longest stroke.
// Of a drive with one arm nothing is left out.
class WithinOneArm {
 public:
  explicit WithinOneArm(Rig& rig);
  ~WithinOneArm();
  WithinOneArm(const WithinOneArm&) = delete;
  WithinOneArm& operator=(const WithinOneArm&) = delete;

  const std::vector<LbnRange>& others() const { return others_; }

 private:
  scsi::Drive& drive_;
  std::vector<LbnRange> before_, others_;
};

}  // namespace platter::extract

// What a run's times say of the host's: where it jumped, and whether what was late was the host or
// the drive. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/layout_map.h"
#include "estimate/phase_drift.h"
#include "estimate/samples.h"
#include "model/drive_model.h"
#include "model/finding_kinds.h"
#include "mtbrc/time_watch.h"

namespace platter::extract {

// That the host slept, that its clock stepped.
model::Notes told(const std::vector<mtbrc::TimeJump>& jumps);

// Where a sector ends, by the run's reference: a drive that is late has an answer when one of its
// own has passed.
class Passages {
 public:
  // All outlive it.
  Passages(const estimate::Samples& samples, const model::DriveModel& model,
           const engine::LayoutMap& map);
  // Whether the run has a reference, on the map.
  bool has_reference() const { return reference_.has_value(); }
  // nullopt: nothing tells.
  std::optional<bool> at(std::uint64_t last_lbn, Nanoseconds completed_ns,
                         std::uint32_t session) const;

 private:
  const model::DriveModel& model_;
  const engine::LayoutMap& map_;
  std::optional<std::uint64_t> reference_;
  estimate::PhaseDrift drift_;
};

// Of commands that took longer than anything that moves explains. What a drive is late with it ends
// when the sector has passed; what the host is late with it notices at any time of a turn, and
// whether the media were asked or not.
struct LateAnswers {
  std::size_t by_drive = 0, by_host = 0;
  double longest_ms = 0;             // of the host's
  std::size_t by_host_of_cache = 0;  // or the drive's, where it keeps the cache's answers back, too

  // The host's, as far as is known.
  std::size_t of_host() const { return by_host + (by_drive == 0 ? by_host_of_cache : 0); }
  // That the host was late, and as many answers came at a passage as do by chance.
  bool only_by_host() const;
};
LateAnswers late_answers(const estimate::Samples& samples, const model::DriveModel& model,
                         const engine::LayoutMap& map);

}  // namespace platter::extract

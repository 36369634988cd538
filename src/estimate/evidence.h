// What samples of timed commands hold, grouped once for all that is estimated of them
// (estimates.h). Nothing is made of it that a figure would have to state an error for, but what the
// host adds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/layout_map.h"
#include "estimate/samples.h"
#include "model/drive_model.h"
#include "noise/host_delay.h"
#include "statistics/threshold.h"

namespace platter::estimate {

// An access that was at a passage of its sectors, and between what times, in ns, that has what it
// waited for (passages.h).
struct Trial {
  const Sample* access = nullptr;
  statistics::CensoredTrial told;
};

// Samples, map and model must outlive it, and stay as they are.
class Evidence {
 public:
  // `map` with its angles; nullptr: it is not known, and no access tells a passage. `stated`: what
  // earlier stages have, for figures that are measured from it; nullptr: nothing. `grid_ns`: the
  // host sees completions at multiples of so much only (completion_grid.h); 0: when they come.
  Evidence(const Samples& samples, const engine::LayoutMap* map, const model::Rotation& rotation,
           const model::DriveModel* stated = nullptr, Nanoseconds grid_ns = 0);

  const Samples& samples() const { return samples_; }
  bool has_map() const { return map_ != nullptr; }
  const engine::LayoutMap& map() const { return *map_; }  // which must be known
  const model::Rotation& rotation() const { return rotation_; }
  const model::DriveModel* stated() const { return stated_; }
  Nanoseconds grid_ns() const { return grid_ns_; }
  double period_ns() const { return model::revolution_ns(rotation_); }
  double period_ms() const { return period_ns() * 1e-6; }

  // Blocks of the smallest writes among them (mtbrc::Context::write_unit()); 1 where there are
  // none.
  std::uint32_t write_unit() const { return write_unit_; }
  bool has_writes() const { return has_writes_; }
  // Whether the accesses that tell of the mechanics are VERIFYs; reads among them tell of reads.
  bool by_verifies() const { return by_verifies_; }
  // nullopt: too few round trips were timed.
  const std::optional<noise::HostDelay>& host_delay() const;
  // What a number is unsure by for the host's delay; 0 where it is not known.
  double host_unsure_ns() const;

  // Those of an experiment that write, or do not, in the order of time; of writes of more than the
  // smallest what observe_run() has them tell.
  const std::vector<Trial>& trials(Experiment experiment, bool write) const;

 private:
  using Trials = std::map<std::pair<Experiment, bool>, std::vector<Trial>>;

  const Samples& samples_;
  const engine::LayoutMap* map_;
  model::Rotation rotation_;
  const model::DriveModel* stated_;
  Nanoseconds grid_ns_;
  std::uint32_t write_unit_ = 1;
  bool has_writes_ = false, by_verifies_ = false;
  mutable std::optional<std::optional<noise::HostDelay>> host_delay_;  // once it was asked for
  mutable std::optional<Trials> trials_;                               // the same
};

}  // namespace platter::estimate

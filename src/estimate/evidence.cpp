#include "estimate/evidence.h"

#include <algorithm>

#include "estimate/host.h"
#include "estimate/passages.h"

namespace platter::estimate {

Evidence::Evidence(const Samples& samples, const engine::LayoutMap* map,
                   const model::Rotation& rotation, const model::DriveModel* stated,
                   Nanoseconds grid_ns)
    : samples_(samples),
      map_(map),
      rotation_(rotation),
      stated_(stated),
      grid_ns_(grid_ns),
      by_verifies_(estimate::by_verifies(samples)) {
  for (const Sample& s : samples) {
    if (!s.write) continue;
    write_unit_ = has_writes_ ? std::min(write_unit_, s.blocks) : s.blocks;
    has_writes_ = true;
  }
  write_unit_ = std::max(1U, write_unit_);
}

const std::optional<noise::HostDelay>& Evidence::host_delay() const {
  if (!host_delay_) host_delay_ = estimate::host_delay(samples_);
  return *host_delay_;
}

double Evidence::host_unsure_ns() const {
  const auto& host = host_delay();
  return host ? 1e6 * host->unsure_ms(Passages::kMostPull_rev * period_ms()) : 0;
}

const std::vector<Trial>& Evidence::trials(Experiment experiment, bool write) const {
  if (!trials_) {
    trials_.emplace();
    if (map_ != nullptr) {
      Passages passages(*map_, rotation_, write_unit_);
      for (const Sample& s : samples_) {
        if (s.experiment == Experiment::hit) continue;
        const auto told = s.write && s.blocks > write_unit_ ? passages.observe_run(s)
                                                            : passages.observe(s);
        if (told) (*trials_)[{s.experiment, s.write}].push_back({&s, *told});
      }
    }
  }
  return (*trials_)[{experiment, write}];
}

}  // namespace platter::estimate

// What an experiment of a run has at hand: the drive, what is known so far, and where to leave what
// it learns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache_probe/cache_probe.h"
#include "extract/findings.h"
#include "extract/fitness.h"
#include "extract/map_source.h"
#include "extract/record.h"
#include "extract/run_settings.h"
#include "model/finding_kinds.h"
#include "mtbrc/context.h"
#include "scsi/guard.h"

namespace platter::extract {

// From one experiment to later ones.
struct Handed {
  std::optional<cache_probe::Ground> ground;           // where the cache's tests took place
  std::shared_ptr<const engine::LayoutMap> distances;  // where no map is known (distances.h)
  std::uint64_t queued_commands = 0;                   // that the drive does not count
};

struct Rig {
  const Options& options;
  scsi::Guard& guard;
  mtbrc::Context& context;
  RunSettings& settings;
  Fitness& fitness;
  MapSource& maps;
  const Findings& found;
  Facts& facts;
  Handed& handed;
  std::function<void(model::Noted)> note;       // for a reader of the model
  std::function<void(std::size_t)> void_since;  // samples from that one on tell nothing
};

}  // namespace platter::extract

// One timed command after another, each kept as a raw sample together with what came before it.
#pragma once

#include <functional>
#include <optional>

#include "estimate/samples.h"
#include "mtbrc/context.h"

namespace platter::mtbrc {

// The command at once, and no sample of it. nullopt: the drive reported an error for these sectors
// (they are of no use for timing), or turned the command away before it took it (BUSY, a unit
// attention), and what was sent again tells no time from what came before; what stops a run is
// thrown by the drive.
std::optional<scsi::Completion> timed(scsi::Drive& drive,
                                      const std::function<scsi::Completion(scsi::Drive&)>& command);

class Accesses {
 public:
  explicit Accesses(Context& context) : context_(context) {}

  // Issues the command at once and keeps the sample; nullopt as of timed(), and where time jumped
  // meanwhile. Before what tells by itself, not by what came before, the time is looked at where
  // that is due (time_watch.h).
  std::optional<estimate::Sample> read(estimate::Experiment experiment, std::uint64_t lbn,
                                       std::int64_t group = 0, std::uint32_t blocks = 1);
  // One block by the command that reaches the media (Context::probe).
  std::optional<estimate::Sample> probe(estimate::Experiment experiment, std::uint64_t lbn,
                                        std::int64_t group = 0);
  // learn_contents() must have read the sectors before; else the drive throws.
  std::optional<estimate::Sample> write(estimate::Experiment experiment, std::uint64_t lbn,
                                        std::int64_t group = 0, std::uint32_t blocks = 1);
  // A SEEK; its sample has no blocks. Throws Error(unsupported) where the drive has none.
  std::optional<estimate::Sample> seek(estimate::Experiment experiment, std::uint64_t lbn,
                                       std::int64_t group = 0);
  // A TEST UNIT READY; its sample has no blocks, is not what comes before the next one, and is left
  // to the caller to keep.
  std::optional<estimate::Sample> round_trip();
  // The last good command's sample; nullopt before the first and after an error.
  const std::optional<estimate::Sample>& last() const { return last_; }

 private:
  std::optional<estimate::Sample> access(estimate::Sample sample, bool force = false);

  Context& context_;
  std::optional<estimate::Sample> last_;
};

}  // namespace platter::mtbrc

// The DIXtrac paper's validation (section 6.2): both workloads on the drive and on its models.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "replay/compare.h"
#include "replay/replay_drive.h"
#include "replay/replay_model.h"
#include "scsi/device.h"
#include "trace/workload.h"

namespace platter::replay {

struct Validation {
  std::uint64_t requests = 5000;
  std::uint64_t seed = 1;
  scsi::Permission permission{};  // without writes both workloads are reads only
  DriveReplay drive{};            // journal and progress; caches are chosen here
};

inline constexpr const char* kValidationWorkloads[] = {"random", "mixed"};

// One workload on all.
struct Validated {
  std::string workload{};  // "random" (caches off) or "mixed" (caches as they are)
  trace::Trace trace{};
  Result drive{};
  std::vector<Result> models{};           // in the order given
  std::vector<Comparison> comparisons{};  // likewise
};

// Throws Error(bad_input) where a model has not as many blocks as the drive.
void require_same_size(scsi::Device& device, std::span<const Subject> models);

// Runs both workloads, random first. `finished` sees each as soon as it is complete. A drive that
// does not let its caches be turned off runs the random workload with them on; the result says so.
// Throws as require_same_size and replay_on_drive do.
using Finished = std::function<void(const Validated&)>;
void validate(scsi::Device& device, std::span<const Subject> models, const Validation& options,
              const Finished& finished);
void validate(scsi::Device& device, std::span<const model::DriveModel> models,
              const Validation& options, const Finished& finished);

// What this workload proved of model number `index`, for its validity.
void add_to_validity(const Validated& validated, std::size_t index, model::DriveModel& model);

}  // namespace platter::replay

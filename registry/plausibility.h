// What a model may say and still be no drive's: rules with names. The refusing ones keep it out of
// the registry unless a person says otherwise; the others are remarked on. docs/registry.md lists
// them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/drive_model.h"

namespace platter::registry {

// Of raw samples: how long the platter turned, on average, before the sector came.
struct RotationalDelay {
  double mean_ns = 0, error_ns = 0;  // one standard error
  std::uint64_t accesses = 0;
};

// What a rule may need beside the model.
struct Evidence {
  std::optional<double> stated_rpm{};  // rotation.rpm of the file, which readers of models pass
                                       // over
  std::optional<RotationalDelay> delay{};
};

struct Objection {
  std::string rule;
  std::string what;  // the figure and what to do, to follow the model's name
};

// The names of the rules that refuse.
const std::vector<std::string>& refusing_rules();

// The refusing rules that the model breaks.
std::vector<Objection> objections_to(const model::DriveModel& model, const Evidence& evidence = {});

// The names of the rules that are remarked on, in their order.
std::vector<std::string> remarks_on(const model::DriveModel& model);

}  // namespace platter::registry

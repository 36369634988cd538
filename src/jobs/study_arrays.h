// An array of models as one model of a study.
#pragma once

#include <vector>

#include "replay/replay_model.h"
#include "study/points.h"

namespace platter::jobs {

// Of these members, as platter replay --array. Throws Error(usage) for an array that cannot be.
study::ReplayedOn array_of(const study::ModelSpec& spec, std::vector<replay::Subject> members);

}  // namespace platter::jobs

// Why a run has no value for figures that no experiment of it measures.
#pragma once

#include "model/drive_model.h"

namespace platter::extract {

// Gives these figures their reason, where they have neither a value nor one.
void say_what_no_experiment_measures(model::DriveModel& model);

}  // namespace platter::extract

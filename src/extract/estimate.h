// A model from what a run kept: the walk over its stages without the drive. A run makes its own
// model by the same functions, so that both are equal to the last digit.
#pragma once

#include "extract/findings.h"
#include "extract/record.h"
#include "model/drive_model.h"

namespace platter::extract {

// Pure. Throws Error(interrupted) where a signal asks for it.
model::DriveModel estimate(const Record& record);

// The same up to its last stage, for more of them to come: without what concludes a run.
Findings estimate_stages(const Record& record);

// The end of both walks: what is still missing from a model once the last stage is done, and what
// its reader should know of the run. `found.unchecked` then says why a run that finished is
// incomplete.
void conclude_run(const Record& record, Findings& found);

}  // namespace platter::extract

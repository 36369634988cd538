// A hypothetical drive: a model with some of its figures changed, and labelled so. docs/model.md
// has the paths that can be changed and what each change does.
#pragma once

#include <string>
#include <vector>

#include "model/change.h"
#include "model/drive_model.h"

namespace platter::model {

// `origin` names the model that it is made of. The result says "derived" and states every change in
// its provenance; it has no validity, no serial number of a real drive, and is called `name` (if
// that is empty: hypothetical, and the name it had). Changed figures lose their errors and samples.
// Throws Error(usage), with the change in its sentence, for a path that there is not, a unit that
// does not fit, a factor on what has no value, and a change after which the model is not valid.
DriveModel derive(const DriveModel& source, const std::string& origin,
                  const std::vector<Change>& changes, const std::string& name = "");

}  // namespace platter::model

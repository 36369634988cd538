// A model whose texts are each one line that a terminal can show.
#pragma once

#include "model/drive_model.h"

namespace platter::model {

// Every text in it as printable() has it.
DriveModel printable_model(DriveModel model);

}  // namespace platter::model

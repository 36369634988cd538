// Times below zero, which no drive has though a model may: told on standard error by what shows or
// publishes one.
#pragma once

#include "model/drive_model.h"

namespace platter::cli {

void tell_doubts(const model::DriveModel& model);

}  // namespace platter::cli

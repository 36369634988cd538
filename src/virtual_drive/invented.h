// A number of a drive that nobody built.
#pragma once

#include "model/drive_model.h"

namespace platter::virtual_drive {

inline model::Parameter invented(double number, const char* unit = "") {
  model::Parameter parameter;
  parameter.value = number;
  parameter.unit = unit;
  parameter.method = "invented";
  return parameter;
}

}  // namespace platter::virtual_drive

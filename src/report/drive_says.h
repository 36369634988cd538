// What a drive says of itself beside its figures, as lines for people: what stands in front of it,
// and what of its mechanics and its state no run measures.
#pragma once

#include <string>
#include <vector>

#include "model/drive_model.h"

namespace platter::report {

struct SaidByDrive {
  const char* what;  // "actuators"
  std::string says;
};
// Those that there are, in one order.
std::vector<SaidByDrive> drive_says(const model::Identity& drive);

}  // namespace platter::report

#pragma once
#include "sim/sim_object.hh"
namespace gem5 {
struct PlatterDriveParams : SimObjectParams {
  std::string table;
};
}  // namespace gem5

#pragma once
#include "base/types.hh"
namespace gem5::sim_clock::as_int {
inline Tick ns = 1000;
}

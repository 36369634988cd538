#pragma once
#include "base/types.hh"
namespace gem5 {
inline Tick now = 0;  // the test's
inline Tick curTick() { return now; }
}

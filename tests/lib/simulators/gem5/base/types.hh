// The few names of gem5 that examples/gem5 uses.
#pragma once
#include <cstdint>
namespace gem5 {
using Tick = uint64_t;
}

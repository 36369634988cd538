// The guest's chance: a stream that its seed tells, in place of the host's. The kernel seeds all of
// its own generators with it, and so those of its programs.
#ifndef PLATTER_EMULATOR_COSIM_PRELOAD_CHANCE_H
#define PLATTER_EMULATOR_COSIM_PRELOAD_CHANCE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void chance_begin(uint64_t seed);
void chance_fill(void* bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif

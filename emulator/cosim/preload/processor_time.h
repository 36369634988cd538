// What the guest's programs take of the host's processor, for a calendar that charges it. By its
// nature it is another number in every run.
#ifndef PLATTER_EMULATOR_COSIM_PRELOAD_PROCESSOR_TIME_H
#define PLATTER_EMULATOR_COSIM_PRELOAD_PROCESSOR_TIME_H

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// From now on it is added up there.
void processor_time_add_to(uint64_t* sum_ns);
// That program has stopped: what it took since it last did is added.
void processor_time_of(pid_t pid);

#ifdef __cplusplus
}
#endif

#endif

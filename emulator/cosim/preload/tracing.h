// ptrace(2) below the guest's kernel, which traces its programs: every system call of a guest costs
// half a dozen calls of it.
#ifndef PLATTER_EMULATOR_COSIM_PRELOAD_TRACING_H
#define PLATTER_EMULATOR_COSIM_PRELOAD_TRACING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// The kernel's own interface, where PEEK requests store the word at `data`.
long tracing_host_ptrace(long request, pid_t pid, void* address, void* data);

// What the C library's ptrace() returns for a request of the guest's kernel.
long tracing_ptrace(long request, pid_t pid, void* address, void* data);

// Whether the process that was resumed last runs a program of the guest, and no errand of the
// kernel's in that program's memory.
bool tracing_runs_program(void);

// Bytes that system calls of the guest's programs have moved since this was asked last: results of
// read, write and their kind. One that another program came between is not seen.
uint64_t tracing_moved_bytes(void);

// RDTSC and RDTSCP fault in the guest's programs, so that none reads the host's counter. True:
// `pid` stopped at one, was given `stamp`, and can be resumed.
bool tracing_answered_time_stamp(pid_t pid, uint64_t stamp);

// It runs again as the kernel last let it.
bool tracing_resumed(pid_t pid);

#ifdef __cplusplus
}
#endif

#endif

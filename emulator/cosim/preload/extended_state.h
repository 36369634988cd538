// The extended state of the guest's programs. User-mode Linux keeps a fixed buffer of some 2.7 KB
// for it, which today's hosts refuse to take where the processor has more (AMX makes it 11 KB): the
// rest, tile registers, stays as the process had it. And what was read and not changed need not be
// written.
#ifndef PLATTER_EMULATOR_COSIM_PRELOAD_EXTENDED_STATE_H
#define PLATTER_EMULATOR_COSIM_PRELOAD_EXTENDED_STATE_H

#include <sys/types.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

// PTRACE_GETREGSET and PTRACE_SETREGSET of NT_X86_XSTATE: 0 or more, or -1 with errno.
long extended_state_get(pid_t pid, struct iovec* to);
long extended_state_set(pid_t pid, const struct iovec* from);
// A process runs again: what was read is of no use any more.
void extended_state_forget(void);

#ifdef __cplusplus
}
#endif

#endif

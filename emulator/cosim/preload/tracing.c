#define _GNU_SOURCE
#include "emulator/cosim/preload/tracing.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "emulator/cosim/preload/extended_state.h"

#define OLD_SET_OPTIONS 21  // PTRACE_OLDSETOPTIONS, which the kernel uses

static long resumed_by = PTRACE_CONT;

bool tracing_runs_program(void) {
  return resumed_by == PTRACE_SYSEMU || resumed_by == PTRACE_SYSEMU_SINGLESTEP;
}

// The three PEEK requests return the word itself, and errno tells.
static long peek(long request, pid_t pid, void* address) {
  long word = 0;
  const long result = tracing_host_ptrace(request, pid, address, &word);
  if (result < 0) return result;
  errno = 0;
  return word;
}

long tracing_ptrace(long request, pid_t pid, void* address, void* data) {
  const bool is_extended_state = (uintptr_t)address == NT_X86_XSTATE;
  switch (request) {
    case PTRACE_PEEKTEXT:
    case PTRACE_PEEKDATA:
    case PTRACE_PEEKUSER:
      return peek(request, pid, address);
    case PTRACE_GETREGSET:
      if (is_extended_state) return extended_state_get(pid, data);
      break;
    case PTRACE_SETREGSET:
      if (is_extended_state) return extended_state_set(pid, data);
      break;
    case OLD_SET_OPTIONS:  // else the programs go on as the host's where the kernel is killed
      return tracing_host_ptrace(PTRACE_SETOPTIONS, pid, address,
                                 (void*)((uintptr_t)data | PTRACE_O_EXITKILL));
    case PTRACE_CONT:
    case PTRACE_SYSCALL:
    case PTRACE_SINGLESTEP:
    case PTRACE_SYSEMU:
    case PTRACE_SYSEMU_SINGLESTEP:
      extended_state_forget();
      resumed_by = request;
      break;
    default:
      break;
  }
  return tracing_host_ptrace(request, pid, address, data);
}

bool tracing_answered_time_stamp(pid_t pid, uint64_t stamp) {
  siginfo_t fault;
  struct user_regs_struct registers;
  uint64_t code = 0;
  if (tracing_host_ptrace(PTRACE_GETSIGINFO, pid, NULL, &fault) < 0 || fault.si_code != SI_KERNEL ||
      tracing_host_ptrace(PTRACE_GETREGS, pid, NULL, &registers) < 0 ||
      tracing_host_ptrace(PTRACE_PEEKTEXT, pid, (void*)registers.rip, &code) < 0)
    return false;
  const bool is_rdtsc = (code & 0xffff) == 0x310f;
  const bool is_rdtscp = (code & 0xffffff) == 0xf9010f;
  if (!is_rdtsc && !is_rdtscp) return false;
  registers.rax = stamp & UINT32_MAX;
  registers.rdx = stamp >> 32;
  if (is_rdtscp) registers.rcx = 0;  // node and processor
  registers.rip += is_rdtsc ? 2 : 3;
  return tracing_host_ptrace(PTRACE_SETREGS, pid, NULL, &registers) >= 0;
}

bool tracing_resumed(pid_t pid) { return tracing_host_ptrace(resumed_by, pid, NULL, NULL) >= 0; }

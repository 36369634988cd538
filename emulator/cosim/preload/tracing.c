#define _GNU_SOURCE
#include "emulator/cosim/preload/tracing.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "emulator/cosim/preload/extended_state.h"

#define OLD_SET_OPTIONS 21  // PTRACE_OLDSETOPTIONS, which the kernel uses

static long resumed_by = PTRACE_CONT;

// The system call that a program stopped at last, until its result is there.
static struct {
  pid_t pid;
  long number;
} asked = {0, -1};
static uint64_t moved_bytes;

static bool moves_bytes(long number) {
  switch (number) {
    case SYS_read:
    case SYS_write:
    case SYS_pread64:
    case SYS_pwrite64:
    case SYS_readv:
    case SYS_writev:
    case SYS_preadv:
    case SYS_pwritev:
    case SYS_preadv2:
    case SYS_pwritev2:
    case SYS_sendto:
    case SYS_recvfrom:
    case SYS_sendmsg:
    case SYS_recvmsg:
    case SYS_sendfile:
    case SYS_splice:
    case SYS_copy_file_range:
    case SYS_getrandom:
      return true;
    default:
      return false;
  }
}

static void program_asked(pid_t pid, const struct user_regs_struct* registers) {
  asked.pid = pid;
  asked.number = (long)registers->orig_rax;
}

static void program_is_answered(pid_t pid, const struct user_regs_struct* registers) {
  const long result = (long)registers->rax;
  if (pid == asked.pid && moves_bytes(asked.number) && result > 0) moved_bytes += (uint64_t)result;
  asked.number = -1;
}

uint64_t tracing_moved_bytes(void) {
  const uint64_t bytes = moved_bytes;
  moved_bytes = 0;
  return bytes;
}

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
    case PTRACE_GETREGS: {
      const long result = tracing_host_ptrace(request, pid, address, data);
      if (result >= 0) program_asked(pid, data);
      return result;
    }
    case PTRACE_SETREGS:
      program_is_answered(pid, data);
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

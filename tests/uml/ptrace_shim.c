// Lets user-mode Linux run on processors with a large extended state (AMX makes it 11 KB). The
// kernel of user-mode Linux keeps a fixed buffer of some 2.7 KB for it, which today's hosts refuse
// to fill or take. Preloaded below it, ptrace() moves the whole state, and hands the buffer's part
// on: what lies behind (the tile registers) stays as the process had it.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define STATE_BYTES (64 * 1024)  // more than any processor has

static long kernel_ptrace(long request, pid_t pid, void* address, void* data) {
  return syscall(SYS_ptrace, request, pid, address, data);
}

static long move_state(long request, pid_t pid, struct iovec* caller) {
  static _Thread_local uint8_t state[STATE_BYTES] __attribute__((aligned(64)));
  void* const kind = (void*)(uintptr_t)NT_X86_XSTATE;
  struct iovec whole = {state, sizeof state};
  const long got = kernel_ptrace(PTRACE_GETREGSET, pid, kind, &whole);
  if (got < 0) return got;
  const size_t part = caller->iov_len < whole.iov_len ? caller->iov_len : whole.iov_len;
  if (request == PTRACE_GETREGSET) {
    memcpy(caller->iov_base, state, part);
    caller->iov_len = part;
    return got;
  }
  memcpy(state, caller->iov_base, part);
  return kernel_ptrace(PTRACE_SETREGSET, pid, kind, &whole);
}

// The C library's interface: the three PEEK requests return the word itself, and errno tells.
static long peek(long request, pid_t pid, void* address) {
  long word = 0;
  const long result = kernel_ptrace(request, pid, address, &word);
  if (result < 0) return result;
  errno = 0;
  return word;
}

long ptrace(enum __ptrace_request request, ...) {
  va_list arguments;
  va_start(arguments, request);
  const pid_t pid = va_arg(arguments, pid_t);
  void* const address = va_arg(arguments, void*);
  void* const data = va_arg(arguments, void*);
  va_end(arguments);
  if (request == PTRACE_PEEKTEXT || request == PTRACE_PEEKDATA || request == PTRACE_PEEKUSER)
    return peek(request, pid, address);
  if ((request == PTRACE_GETREGSET || request == PTRACE_SETREGSET) &&
      (uintptr_t)address == NT_X86_XSTATE)
    return move_state(request, pid, data);
  return kernel_ptrace(request, pid, address, data);
}

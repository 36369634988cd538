// What is preloaded into user-mode Linux has ptrace() from here: the host's, as tracing.h changes
// it.
#define _GNU_SOURCE
#include <stdarg.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "emulator/cosim/preload/tracing.h"

long tracing_host_ptrace(long request, pid_t pid, void* address, void* data) {
  return syscall(SYS_ptrace, request, pid, address, data);
}

long ptrace(enum __ptrace_request request, ...) {
  va_list arguments;
  va_start(arguments, request);
  const pid_t pid = va_arg(arguments, pid_t);
  void* const address = va_arg(arguments, void*);
  void* const data = va_arg(arguments, void*);
  va_end(arguments);
  return tracing_ptrace(request, pid, address, data);
}

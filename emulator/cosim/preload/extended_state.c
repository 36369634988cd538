#include "emulator/cosim/preload/extended_state.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>

#include "emulator/cosim/preload/tracing.h"

#define MOST_BYTES (64 * 1024)  // more than any processor has

static uint8_t whole[MOST_BYTES] __attribute__((aligned(64)));  // of `owner`, as it was last read
static size_t whole_bytes;
static pid_t owner;  // 0: nobody's

static void* kind(void) { return (void*)(uintptr_t)NT_X86_XSTATE; }

static size_t part_of(size_t bytes) { return bytes < whole_bytes ? bytes : whole_bytes; }

static long read_whole(pid_t pid) {
  struct iovec state = {whole, sizeof whole};
  const long result = tracing_host_ptrace(PTRACE_GETREGSET, pid, kind(), &state);
  if (result < 0) return result;
  whole_bytes = state.iov_len;
  owner = pid;
  return result;
}

void extended_state_forget(void) { owner = 0; }

long extended_state_get(pid_t pid, struct iovec* to) {
  const long result = read_whole(pid);
  if (result < 0) return result;
  to->iov_len = part_of(to->iov_len);
  memcpy(to->iov_base, whole, to->iov_len);
  return result;
}

long extended_state_set(pid_t pid, const struct iovec* from) {
  if (owner != pid) {
    const long result = read_whole(pid);
    if (result < 0) return result;
  }
  const size_t part = part_of(from->iov_len);
  if (memcmp(whole, from->iov_base, part) == 0) return 0;
  memcpy(whole, from->iov_base, part);
  struct iovec state = {whole, whole_bytes};
  return tracing_host_ptrace(PTRACE_SETREGSET, pid, kind(), &state);
}

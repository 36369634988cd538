#define _GNU_SOURCE
#include "emulator/cosim/preload/processor_time.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Of two processes in one place, each counts as new when it follows the other.
#define PLACES 4096

struct seen {
  pid_t pid;
  uint64_t ns;
};

static uint64_t* sum;
static struct seen places[PLACES];

void processor_time_add_to(uint64_t* sum_ns) { sum = sum_ns; }

// As clock_getcpuclockid(3) makes it.
static clockid_t clock_of(pid_t pid) {
  const clockid_t kScheduler = 2;
  return (clockid_t)((~(unsigned)pid << 3) | (unsigned)kScheduler);
}

void processor_time_of(pid_t pid) {
  struct timespec time;
  if (sum == NULL || syscall(SYS_clock_gettime, clock_of(pid), &time) != 0) return;
  const uint64_t now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
  struct seen* const place = &places[(unsigned)pid % PLACES];
  const bool is_known = place->pid == pid && now >= place->ns;
  *sum += is_known ? now - place->ns : 0;
  *place = (struct seen){pid, now};
}

/* What the emulator and the guest kernel's process share: inherited descriptors, a page, variables
   of its environment. C, since what is preloaded into that process is C. */
#ifndef PLATTER_EMULATOR_COSIM_GUEST_LINK_H
#define PLATTER_EMULATOR_COSIM_GUEST_LINK_H

#include <stdint.h>

enum {
  PLATTER_COSIM_CALENDAR = 3, /* a socket: the kernel's time-travel messages */
  PLATTER_COSIM_PAGE = 4,
  PLATTER_COSIM_OUTPUT = 5, /* a pipe: process 1's records (guest/record.h) */
  PLATTER_COSIM_DRIVES = 6  /* a socket: vhost-user */
};

/* The kernel connects to these names and gets the descriptors. */
#define PLATTER_COSIM_CALENDAR_NAME "calendar"
#define PLATTER_COSIM_DRIVES_NAME "drives"

/* Numbers: where the guest's chance begins; its time of day at the start, in nanoseconds since the
 * epoch. */
#define PLATTER_COSIM_SEED "PLATTER_COSIM_SEED"
#define PLATTER_COSIM_DATE "PLATTER_COSIM_DATE_NS"
#define PLATTER_COSIM_CPU "PLATTER_COSIM_CPU" /* 1: the page's cpu_ns is wanted */
/* The kernel's function time_travel_ndelay(nanoseconds): its address. And what a system call takes
 * of the guest's time, or a page fault. */
#define PLATTER_COSIM_DELAY "PLATTER_COSIM_DELAY"
#define PLATTER_COSIM_CALL "PLATTER_COSIM_CALL_NS"

/* Each side writes only while the other one waits for it, but for what serves the watch for
   programs that compute for ever: `turns`, `program` and `goes_on`, by the guest at any time, and
   `tick_ns`, by the emulator before it sends SIGALRM to `program`, and by the guest that took it.
 */
struct platter_cosim_page {
  uint64_t guest_ns; /* by the guest, before it kicks a drive: its time */
  uint64_t cpu_ns;   /* and what its programs took of the host's processor so far; 0 where nobody
                        asked */
  uint64_t due_ns; /* by the emulator, before it answers a kick: no drive does anything earlier, and
                      until then the guest may run without asking */
  uint64_t turns;  /* how often a program came back to the kernel */
  int32_t program; /* the host's process of the one that runs; 0: the kernel itself does */
  uint32_t goes_on; /* 1: it was stopped by SIGALRM, and has done nothing since but compute */
  uint64_t tick_ns; /* what passes of the guest's time when it is stopped by SIGALRM next; 0 then */
};

#endif

// The calendar's branch in the guest. The kernel in time-travel mode asks its calendar for every
// step of its clock, and waits for the acknowledgement of every message (arch/um/kernel/time.c).
// What needs no drive is answered here, by what the emulator wrote into the shared page. Only a
// wait that a drive may end goes to the emulator, as one message, and one comes back. (Kernels
// from 6.11 on share such a page with their calendar themselves.)
#ifndef PLATTER_EMULATOR_COSIM_PRELOAD_LOCAL_CALENDAR_H
#define PLATTER_EMULATOR_COSIM_PRELOAD_LOCAL_CALENDAR_H

#include <linux/um_timetravel.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "emulator/cosim/guest_link.h"

#ifdef __cplusplus
extern "C" {
#endif

// The socket to the emulator, and the page. The guest's day begins at that time.
void local_calendar_open(int socket, struct platter_cosim_page* page, uint64_t date_ns);

// The kernel's message.
void local_calendar_take(const struct um_timetravel_msg* message);
// Its next one; waits for the emulator where there is none yet. As read(2).
ssize_t local_calendar_give(struct um_timetravel_msg* message);
// False: give() waits for the emulator.
bool local_calendar_has_message(void);

// Guest time as the kernel was last told.
uint64_t local_calendar_now_ns(void);

#ifdef __cplusplus
}
#endif

#endif

// The kernel's process and all that it starts, which end together.
#ifndef PLATTER_EMULATOR_COSIM_PRELOAD_SESSION_H
#define PLATTER_EMULATOR_COSIM_PRELOAD_SESSION_H

// Returns in a child that goes on as the kernel. This process does nothing from now on but wait for
// the kernel's end, and end what is left: SIGTERM, also as the signal of its parent's death, ends
// all. It has ended when all the others have.
void session_begin(void);

#endif

// Preloaded into the process of the guest's kernel, which is an ordinary program of the C library:
// what it asks of the host in time, chance and processes is answered by us, so that a run depends
// on nothing of the host.
#define _GNU_SOURCE
#include <asm/poll.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "emulator/cosim/guest_link.h"
#include "emulator/cosim/preload/chance.h"
#include "emulator/cosim/preload/local_calendar.h"
#include "emulator/cosim/preload/processor_time.h"
#include "emulator/cosim/preload/session.h"
#include "emulator/cosim/preload/tracing.h"

struct epoll_event;

// What passes of the guest's time between two requests, beside what it waits.
static void (*kernel_delay)(unsigned long ns);
static uint64_t call_ns;

static uint64_t setting(const char* name) {
  const char* const value = getenv(name);
  return value == NULL ? 0 : strtoull(value, NULL, 10);
}

// The kernel may not read the time-stamp counter either: if it might, every change from a program
// to the kernel and back would change the processor's control register, which takes longer than all
// else of a system call.
__attribute__((constructor)) static void prepare(void) {
  session_begin();
  chance_begin(setting(PLATTER_COSIM_SEED));
  kernel_delay = (void (*)(unsigned long))(uintptr_t)setting(PLATTER_COSIM_DELAY);
  call_ns = setting(PLATTER_COSIM_CALL);
  prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
}

// --- Chance and time.

ssize_t getrandom(void* bytes, size_t count, unsigned flags) {
  (void)flags;
  chance_fill(bytes, count);
  return (ssize_t)count;
}

// The C library's own reads the counter.
int clock_gettime(clockid_t clock, struct timespec* time) {
  return (int)syscall(SYS_clock_gettime, clock, time);
}

// --- The calendar and the drives.

static int calendar = -1;  // the kernel's descriptor
static volatile struct platter_cosim_page* shared;

static void open_calendar(int fd) {
  void* const page = mmap(NULL, sizeof(struct platter_cosim_page), PROT_READ | PROT_WRITE,
                          MAP_SHARED, PLATTER_COSIM_PAGE, 0);
  if (page == MAP_FAILED) _exit(1);
  shared = page;
  local_calendar_open(fd, page, setting(PLATTER_COSIM_DATE));
  if (setting(PLATTER_COSIM_CPU) != 0)
    processor_time_add_to(&((struct platter_cosim_page*)page)->cpu_ns);
  calendar = fd;
}

static int inherited(const struct sockaddr_un* address) {
  const char* const name = address->sun_path;
  if (address->sun_family != AF_UNIX) return -1;
  if (strcmp(name, PLATTER_COSIM_CALENDAR_NAME) == 0) return PLATTER_COSIM_CALENDAR;
  return strcmp(name, PLATTER_COSIM_DRIVES_NAME) == 0 ? PLATTER_COSIM_DRIVES : -1;
}

int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t size) {
  const int descriptor = inherited(address.__sockaddr_un__);
  if (descriptor < 0) return (int)syscall(SYS_connect, fd, address.__sockaddr__, size);
  if (dup2(descriptor, fd) < 0) return -1;
  if (descriptor == PLATTER_COSIM_CALENDAR) open_calendar(fd);
  return 0;
}

ssize_t write(int fd, const void* bytes, size_t count) {
  if (calendar < 0 || fd != calendar) return syscall(SYS_write, fd, bytes, count);
  local_calendar_take(bytes);
  return (ssize_t)count;
}

ssize_t read(int fd, void* bytes, size_t count) {
  if (calendar < 0 || fd != calendar) return syscall(SYS_read, fd, bytes, count);
  return local_calendar_give(bytes);
}

// The kernel polls the calendar alone before it reads: a drive's interrupt is signalled before the
// emulator's message is there, so it is seen to before this returns, while the message can still be
// looked at. Or it polls the calendar beside a drive's socket, where an answer is due; the read may
// as well wait for it.
int poll(struct pollfd* fds, unsigned long count, int timeout) {
  const bool is_calendars = calendar >= 0 && count > 0 && fds[count - 1].fd == calendar;
  if (!is_calendars || (count == 1 && !local_calendar_has_message()))
    return (int)syscall(SYS_poll, fds, count, timeout);
  for (unsigned long i = 0; i < count; ++i) fds[i].revents = i == 0 ? POLLIN : 0;
  return 1;
}

// --- Output: it is with the emulator when the write returns, however long that takes the host, and
// without an interrupt. One that comes when the host has read would tie the guest to the host's
// time.

int fcntl64(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (fd == PLATTER_COSIM_OUTPUT && command == F_SETFL) return 0;
  return (int)syscall(SYS_fcntl, fd, command, argument);
}

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event* event) {
  if (fd == PLATTER_COSIM_OUTPUT) return 0;
  return (int)syscall(SYS_epoll_ctl, epoll, operation, fd, event);
}

// --- The guest's programs, which are processes of the host.

// In the kernel's own way, with what is due meanwhile. Between a program's stop and what the kernel
// does about it, where no interrupt is held back. Not before there is a calendar: the kernel traces
// a process to see how its host does that.
static void let_pass(uint64_t ns) {
  if (shared != NULL && ns > 0 && kernel_delay != NULL) kernel_delay(ns);
}

// Nanoseconds of the guest, as on a processor of 1 GHz. Reading takes some, so that a loop that
// waits for the counter comes to an end.
static uint64_t last_stamp;

static uint64_t time_stamp(void) {
  const uint64_t kReading_ns = 32;
  const uint64_t now = local_calendar_now_ns();
  last_stamp = now > last_stamp + kReading_ns ? now : last_stamp + kReading_ns;
  return last_stamp;
}

static const int kLooksAround = SIGALRM << 8 | 0x7f;  // a stop for which the kernel does no more

// True: the kernel need not know.
static bool goes_on_with_stamp(pid_t pid, int* state) {
  const uint64_t kLead_ns = 10000;  // of the counter before the kernel's clock, at most
  const uint64_t lead_ns = last_stamp - local_calendar_now_ns();
  if (lead_ns < kLead_ns) return tracing_resumed(pid);
  let_pass(lead_ns);
  *state = kLooksAround;  // for a timer that ended
  return false;
}

// Of what read, write and their kind copy.
static const uint64_t kBytesEachNs = 10;

// Programs, by their numbers on the host, that have only computed since the emulator stopped them.
static uint8_t computes_on[(1 << 22) / 8];  // of as many as the host can have
static bool is_computing_on(pid_t pid) { return computes_on[pid >> 3] & 1 << (pid & 7); }
static void set_computing_on(pid_t pid, bool on) {
  const uint8_t bit = (uint8_t)(1U << (pid & 7));
  computes_on[pid >> 3] = (uint8_t)(on ? computes_on[pid >> 3] | bit
                                       : computes_on[pid >> 3] & ~bit);
}

// What a program of the guest has stopped for. True: it goes on, and the kernel need not know.
static bool goes_on(pid_t pid, int* state) {
  if (WSTOPSIG(*state) != SIGALRM) set_computing_on(pid, false);
  switch (WSTOPSIG(*state)) {
    case SIGTRAP | 0x80:  // a system call; what the one before moved is charged with it
      let_pass(call_ns == 0 ? 0 : call_ns + tracing_moved_bytes() / kBytesEachNs);
      return false;
    case SIGSEGV:  // a page, or the counter
      if (tracing_answered_time_stamp(pid, time_stamp())) return goes_on_with_stamp(pid, state);
      let_pass(call_ns);
      return false;
    case SIGALRM:  // from the emulator, or the kernel's own for each of its timers that ended
      if (shared != NULL) {
        const uint64_t tick_ns = shared->tick_ns;
        shared->tick_ns = 0;
        if (tick_ns > 0) set_computing_on(pid, true);
        let_pass(tick_ns);
      }
      return false;
    default:
      return false;
  }
}

static pid_t wait_for(pid_t pid, int* state, int options) {
  if (shared != NULL && tracing_runs_program()) {
    shared->goes_on = is_computing_on(pid);
    shared->program = pid;
  }
  const pid_t changed = (pid_t)syscall(SYS_wait4, pid, state, options, NULL);
  if (shared == NULL) return changed;
  shared->program = 0;
  ++shared->turns;
  return changed;
}

pid_t waitpid(pid_t pid, int* status, int options) {
  int state = 0;
  pid_t changed = 0;
  bool is_stopped = false;
  do {
    changed = wait_for(pid, &state, options);
    is_stopped = changed > 0 && WIFSTOPPED(state);
    if (is_stopped) processor_time_of(changed);
  } while (is_stopped && tracing_runs_program() && goes_on(changed, &state));
  if (status != NULL) *status = state;
  return changed;
}

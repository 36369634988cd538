#define _GNU_SOURCE
#include "emulator/cosim/preload/local_calendar.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct um_timetravel_msg Message;

static struct platter_cosim_page* page;
static int emulator = -1;
static uint64_t date_ns;
static uint64_t now_ns, asked_ns;  // guest time; when the kernel wants to go on
static Message acknowledgement;    // that the kernel has not read yet, where
static bool is_acknowledged;
static bool may_run;  // at asked_ns: that it has not read yet
static bool waits;    // for the emulator to say when it goes on

void local_calendar_open(int socket, struct platter_cosim_page* shared, uint64_t date) {
  page = shared;
  emulator = socket;
  date_ns = date;
  now_ns = asked_ns = 0;
  is_acknowledged = may_run = waits = false;
}

uint64_t local_calendar_now_ns(void) { return now_ns; }

bool local_calendar_has_message(void) { return is_acknowledged || may_run; }

// The emulator's next message, which stays there for the kernel to read.
static uint64_t time_of_next_run(void) {
  Message next;
  for (;;) {
    const ssize_t got = recv(emulator, &next, sizeof next, MSG_PEEK | MSG_WAITALL);
    if (got == (ssize_t)sizeof next) return next.time;
    if (got >= 0 || errno != EINTR) _exit(1);  // the emulator is gone
  }
}

static void wait_for_the_emulator(void) {
  waits = true;
  const Message message = {.op = UM_TIMETRAVEL_WAIT, .time = asked_ns};
  if (send(emulator, &message, sizeof message, MSG_NOSIGNAL) != (ssize_t)sizeof message) _exit(1);
}

static void wait_until_asked(void) {
  // INT64_MAX stands for ever. What a drive does at the very time comes first.
  may_run = asked_ns < page->due_ns && asked_ns < INT64_MAX;
  if (may_run) return;
  wait_for_the_emulator();
}

void local_calendar_take(const Message* message) {
  if (message->op == UM_TIMETRAVEL_ACK) return;
  acknowledgement = (Message){.op = UM_TIMETRAVEL_ACK, .seq = message->seq};
  is_acknowledged = true;
  switch (message->op) {
    case UM_TIMETRAVEL_REQUEST:
      asked_ns = message->time;
      break;
    case UM_TIMETRAVEL_WAIT:
      wait_until_asked();
      break;
    case UM_TIMETRAVEL_GET:  // for an interrupt: when it comes
      if (waits) now_ns = time_of_next_run();
      acknowledgement.time = now_ns;
      break;
    case UM_TIMETRAVEL_UPDATE:  // a kick follows
      now_ns = page->guest_ns = message->time;
      break;
    case UM_TIMETRAVEL_GET_TOD:
      acknowledgement.time = date_ns;
      break;
    default:
      break;
  }
}

ssize_t local_calendar_give(Message* message) {
  if (is_acknowledged) {
    is_acknowledged = false;
    *message = acknowledgement;
  } else if (may_run) {
    may_run = false;
    now_ns = asked_ns;
    *message = (Message){.op = UM_TIMETRAVEL_RUN, .time = now_ns};
  } else {
    for (;;) {
      const ssize_t got = syscall(SYS_read, emulator, message, sizeof *message);
      if (got != (ssize_t)sizeof *message) return got;
      waits = false;
      now_ns = message->time;
      // An interrupt makes the kernel ask for its time, but while the one before waits until they
      // are enabled: then it has nothing to do yet, and goes on at no other time than it asked for.
      if (now_ns >= asked_ns) break;
      wait_for_the_emulator();
    }
  }
  return sizeof *message;
}

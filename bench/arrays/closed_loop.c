// Reads or writes what a file of lines "R|W OFFSET BYTES" says, so many outstanding, each at the
// completion of one before, past the page cache. Prints how many there were and their mean response
// time in ns. For md.py; unlike fio it calibrates no clock, which in simulated time takes long.
//
//     closed_loop DEVICE DEPTH FILE

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kMostDepth = 256, kMostBytes = 1 << 20 };

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void stop(const char* what) {
  fprintf(stderr, "closed_loop: %s: %s\n", what, strerror(errno));
  exit(1);
}

struct loop {
  struct iocb block;
  void* buffer;
  int64_t issued_ns;
};

// Returns whether there was one more to issue.
static int issue(struct loop* loop, aio_context_t context, int device, FILE* list) {
  char way;
  long long offset, bytes;
  if (fscanf(list, " %c %lld %lld", &way, &offset, &bytes) != 3) return 0;
  memset(&loop->block, 0, sizeof loop->block);
  loop->block.aio_lio_opcode = way == 'W' ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD;
  loop->block.aio_fildes = (uint32_t)device;
  loop->block.aio_buf = (uintptr_t)loop->buffer;
  loop->block.aio_offset = offset;
  loop->block.aio_nbytes = (uint64_t)bytes;
  loop->block.aio_data = (uintptr_t)loop;
  loop->issued_ns = now_ns();
  struct iocb* one = &loop->block;
  if (syscall(SYS_io_submit, context, 1L, &one) != 1) stop("io_submit");
  return 1;
}

int main(int count, char** words) {
  if (count != 4) return 2;
  const int device = open(words[1], O_RDWR | O_DIRECT);
  const long depth = strtol(words[2], NULL, 10);
  FILE* list = fopen(words[3], "r");
  if (device < 0 || !list || depth < 1 || depth > kMostDepth) stop(words[1]);
  aio_context_t context = 0;
  if (syscall(SYS_io_setup, kMostDepth, &context) < 0) stop("io_setup");
  static struct loop loops[kMostDepth];
  long outstanding = 0, done = 0;
  int64_t sum_ns = 0;
  for (long i = 0; i < depth; ++i) {
    if (posix_memalign(&loops[i].buffer, 4096, kMostBytes)) stop("memory");
    memset(loops[i].buffer, (int)i, kMostBytes);
    outstanding += issue(&loops[i], context, device, list);
  }
  while (outstanding > 0) {
    struct io_event event;
    if (syscall(SYS_io_getevents, context, 1L, 1L, &event, NULL) != 1) stop("io_getevents");
    if (event.res < 0) {
      errno = (int)-event.res;
      stop("a request");
    }
    struct loop* loop = (struct loop*)(uintptr_t)event.data;
    sum_ns += now_ns() - loop->issued_ns;
    ++done;
    outstanding += issue(loop, context, device, list) - 1;
  }
  printf("%ld %.3f\n", done, (double)sum_ns / (double)done);
  return 0;
}

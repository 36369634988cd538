// Reads or writes what a file of lines "R|W OFFSET BYTES" says, past the page cache: so many
// threads, each with one request outstanding, take the lines in turn. Before, if these are named,
// it waits until the clock says NS, writes BEGIN into the file AT, and waits for 0.3 ms, in which
// md begins. Prints how many requests there were and their mean response time in ns. For md.py;
// unlike fio it calibrates no clock, which in simulated time takes long, and unlike libaio a
// request that md makes wait holds up no other.
//
//     closed_loop DEVICE DEPTH FILE [BEGIN AT NS]

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { kMostDepth = 256, kMostBytes = 1 << 20, kPage = 4096 };

static int device;
static FILE* list;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static long done;
static int64_t sum_ns;

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void stop(const char* what) {
  fprintf(stderr, "closed_loop: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void* requests(void* unused) {
  void* buffer;
  if (posix_memalign(&buffer, kPage, kMostBytes)) stop("memory");
  memset(buffer, 1, kMostBytes);
  pthread_mutex_lock(&turn);
  char way;
  long long offset, bytes;
  while (fscanf(list, " %c %lld %lld", &way, &offset, &bytes) == 3) {
    pthread_mutex_unlock(&turn);
    const int64_t issued_ns = now_ns();
    const ssize_t moved = way == 'W' ? pwrite(device, buffer, (size_t)bytes, (off_t)offset)
                                     : pread(device, buffer, (size_t)bytes, (off_t)offset);
    if (moved != bytes) stop("a request");
    pthread_mutex_lock(&turn);
    sum_ns += now_ns() - issued_ns;
    ++done;
  }
  pthread_mutex_unlock(&turn);
  return unused;
}

static void sleep_until(int64_t time_ns) {
  const struct timespec time = {time_ns / 1000000000, time_ns % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
  }
}

static void begin(const char* what, const char* at, int64_t time_ns) {
  const int file = open(at, O_WRONLY);
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  if (now_ns() > time_ns) stop("begins too late");
  sleep_until(time_ns);
  if (file < 0 || write(file, what, strlen(what)) < 0) stop(at);
  close(file);
  sleep_until(time_ns + 300000);
}

int main(int count, char** words) {
  if (count != 4 && count != 7) return 2;
  device = open(words[1], O_RDWR | O_DIRECT);
  const long depth = strtol(words[2], NULL, 10);
  list = fopen(words[3], "r");
  if (device < 0 || !list || depth < 1 || depth > kMostDepth) stop(words[1]);
  if (count == 7) begin(words[4], words[5], strtoll(words[6], NULL, 10));
  static pthread_t threads[kMostDepth];
  for (long i = 0; i < depth; ++i)
    if (pthread_create(&threads[i], NULL, requests, NULL)) stop("a thread");
  for (long i = 0; i < depth; ++i) pthread_join(threads[i], NULL);
  printf("%ld %.3f\n", done, (double)sum_ns / (double)done);
  return 0;
}

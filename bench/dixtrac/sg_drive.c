// Preloaded into a program that opens /dev/sgN, and writes and reads sg_io_hdr there, as
// DIXtrac 4.0 does: it meets a drive that speaks the protocol of docs/exec.md, and all time that it
// sees is the drive's. The drive goes on living when the program has ended, for the next one.
//
//   SG_REQUESTS, SG_REPLIES   pipes with names, to the drive and from it; its hello was read
//   SG_SEED                   the second of its time 0: programs seed their chance by the second
//   SG_ACCOUNT                this file gets a line at the end: the program's name, when it began
//                             and ended, in the drive's ns
//
// The host itself takes no time, but for 1 us a look at the clock: programs wait by looking.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <scsi/sg.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { kCommand = 0, kWait = 1 };
enum { kNoData = 0, kFromDrive = 1, kToDrive = 2 };
enum { kCheckCondition = 2, kUnitAttention = 6, kSenseKey = 2 };
enum { kRequestBytes = 22, kReplyBytes = 24, kMostBytes = 16 << 20, kMostOutstanding = 16 };

static const char kDevices[] = "/dev/sg";
static const int64_t kSecond = 1000000000, kLookNs = 1000, kReservedBytes = 8 << 20;

static int device = -1, to_drive = -1, from_drive = -1;
static int64_t now_ns, opened_ns, begin_s;

static struct {
  bool used;
  uint32_t tag;
  sg_io_hdr_t header;
} sent[kMostOutstanding];
static uint32_t last_tag;

static void stop(const char* why) {
  fprintf(stderr, "sg_drive: %s\n", why);
  _exit(9);
}

// The C library's functions of these names are ours.
static ssize_t host_read(int fd, void* bytes, size_t count) {
  return syscall(SYS_read, fd, bytes, count);
}

static ssize_t host_write(int fd, const void* bytes, size_t count) {
  return syscall(SYS_write, fd, bytes, count);
}

static int host_open(const char* path, int flags, mode_t mode) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

// Whole seconds of the clock at the drive's time 0.
__attribute__((constructor)) static void begin(void) {
  const char* const seed = getenv("SG_SEED");
  begin_s = kSecond + (seed == NULL ? 0 : atoll(seed));
}

__attribute__((destructor)) static void end(void) {
  const char* const path = getenv("SG_ACCOUNT");
  FILE* const file = device < 0 || path == NULL ? NULL : fopen(path, "a");
  if (file == NULL) return;
  fprintf(file, "%s %lld %lld\n", program_invocation_short_name, (long long)opened_ns,
          (long long)now_ns);
  fclose(file);
}

// --- What goes to the drive and comes from it.

static void hear(void* bytes, size_t count) {
  for (char* to = bytes; count > 0;) {
    const ssize_t got = host_read(from_drive, to, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) stop("the drive ended");
    to += got;
    count -= (size_t)got;
  }
}

static void say(const void* bytes, size_t count) {
  for (const char* from = bytes; count > 0;) {
    const ssize_t put = host_write(to_drive, from, count);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) stop("the drive takes nothing");
    from += put;
    count -= (size_t)put;
  }
}

// The protocol's byte order is the host's, on the machines that DIXtrac runs on.
static uint8_t* put(uint8_t* to, const void* value, size_t bytes) {
  memcpy(to, value, bytes);
  return to + bytes;
}

static void request(int kind, uint32_t tag, const sg_io_hdr_t* header) {
  static uint8_t frame[4 + kRequestBytes + 32 + kMostBytes];
  const unsigned cdb_bytes = header == NULL ? 0 : header->cmd_len;
  int direction = kNoData;
  if (header != NULL && header->dxfer_len > 0)
    direction = header->dxfer_direction == SG_DXFER_FROM_DEV ? kFromDrive : kToDrive;
  const uint32_t data_bytes = direction == kNoData ? 0 : header->dxfer_len;
  const uint32_t follows = direction == kToDrive ? data_bytes : 0;
  if (cdb_bytes > 32 || follows > kMostBytes - kRequestBytes - 32) stop("a command is too long");
  const uint32_t length = kRequestBytes + cdb_bytes + follows;
  const uint64_t issue_ns = kind == kCommand ? (uint64_t)now_ns : 0;
  const uint8_t small[] = {(uint8_t)kind,      kind == kCommand,  0, 0,
                           (uint8_t)direction, (uint8_t)cdb_bytes};
  uint8_t* to = put(frame, &length, 4);
  to = put(to, &issue_ns, 8);
  to = put(to, &tag, 4);
  to = put(to, small, sizeof small);
  to = put(to, &data_bytes, 4);
  if (header != NULL) to = put(to, header->cmdp, cdb_bytes);
  if (follows > 0) put(to, header->dxferp, follows);
  say(frame, 4 + (size_t)length);
}

static bool outstanding(void) {
  for (int i = 0; i < kMostOutstanding; ++i)
    if (sent[i].used) return true;
  return false;
}

struct reply {
  uint64_t complete_ns;
  uint32_t tag;
  uint8_t status;
  uint32_t sense_bytes, data_bytes, residual;
  const uint8_t *sense, *data;
};

static struct reply answer(void) {
  static uint8_t bytes[kMostBytes];
  struct reply reply = {0};
  uint32_t length = 0;
  hear(&length, 4);
  if (length < kReplyBytes || length > kMostBytes) stop("a reply of no possible length");
  hear(bytes, length);
  memcpy(&reply.complete_ns, bytes, 8);
  memcpy(&reply.tag, bytes + 8, 4);
  reply.status = bytes[12];
  reply.sense_bytes = bytes[13];
  memcpy(&reply.residual, bytes + 16, 4);
  memcpy(&reply.data_bytes, bytes + 20, 4);
  if (length != kReplyBytes + reply.sense_bytes + reply.data_bytes)
    stop("a reply whose lengths disagree");
  reply.sense = bytes + kReplyBytes;
  reply.data = reply.sense + reply.sense_bytes;
  if ((int64_t)reply.complete_ns > now_ns) now_ns = (int64_t)reply.complete_ns;
  return reply;
}

static int start(void) {
  const char *const requests = getenv("SG_REQUESTS"), *const replies = getenv("SG_REPLIES");
  if (requests == NULL || replies == NULL) stop("SG_REQUESTS or SG_REPLIES is not set");
  to_drive = host_open(requests, O_WRONLY | O_CLOEXEC, 0);
  from_drive = host_open(replies, O_RDONLY | O_CLOEXEC, 0);
  if (to_drive < 0 || from_drive < 0) stop("SG_REQUESTS or SG_REPLIES cannot be opened");
  request(kWait, 0, NULL);  // with nothing outstanding it tells the time
  answer();
  opened_ns = now_ns;
  return device = host_open("/dev/null", O_RDWR, 0);
}

// A command that a unit attention ended is sent again, as a host does that has attached the drive
// before.
static sg_io_hdr_t completion(void) {
  for (;;) {
    request(kWait, 0, NULL);
    const struct reply reply = answer();
    int i = 0;
    while (i < kMostOutstanding && !(sent[i].used && sent[i].tag == reply.tag)) ++i;
    if (i == kMostOutstanding) stop("a completion of no command");
    sg_io_hdr_t* const header = &sent[i].header;
    if (reply.status == kCheckCondition && reply.sense_bytes > kSenseKey &&
        (reply.sense[kSenseKey] & 15) == kUnitAttention) {
      sent[i].tag = ++last_tag;
      request(kCommand, last_tag, header);
      continue;
    }
    if (reply.data_bytes > 0 && header->dxfer_direction == SG_DXFER_FROM_DEV)
      memcpy(header->dxferp, reply.data,
             reply.data_bytes < header->dxfer_len ? reply.data_bytes : header->dxfer_len);
    header->status = reply.status;
    header->masked_status = reply.status >> 1 & 31;
    header->resid = (int)reply.residual;
    header->sb_len_wr = (unsigned char)(reply.sense_bytes < header->mx_sb_len ? reply.sense_bytes
                                                                              : header->mx_sb_len);
    if (header->sbp != NULL) memcpy(header->sbp, reply.sense, header->sb_len_wr);
    header->info = reply.status == 0 ? SG_INFO_OK : SG_INFO_CHECK;
    header->driver_status = reply.status == kCheckCondition ? 8 : 0;
    sent[i].used = false;
    return *header;
  }
}

// --- What the program calls.

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (strncmp(path, kDevices, sizeof kDevices - 1) == 0) return start();
  return host_open(path, flags, mode);
}

int open64(const char* path, int flags, ...) __attribute__((alias("open")));

ssize_t write(int fd, const void* bytes, size_t count) {
  if (fd != device || fd < 0) return host_write(fd, bytes, count);
  for (int i = 0; i < kMostOutstanding; ++i) {
    if (sent[i].used) continue;
    sent[i].used = true;
    sent[i].tag = ++last_tag;
    memcpy(&sent[i].header, bytes, sizeof sent[i].header);
    request(kCommand, last_tag, &sent[i].header);
    return (ssize_t)count;
  }
  errno = EDOM;
  return -1;
}

ssize_t read(int fd, void* bytes, size_t count) {
  if (fd != device || fd < 0) return host_read(fd, bytes, count);
  if (!outstanding()) {
    errno = EAGAIN;
    return -1;
  }
  const sg_io_hdr_t done = completion();
  memcpy(bytes, &done, sizeof done);
  return (ssize_t)count;
}

int ioctl(int fd, unsigned long what, ...) {
  va_list more;
  va_start(more, what);
  void* const value = va_arg(more, void*);
  va_end(more);
  if (fd != device || fd < 0) return (int)syscall(SYS_ioctl, fd, what, value);
  if (what == SG_GET_NUM_WAITING) *(int*)value = 0;
  if (what == SG_GET_RESERVED_SIZE) *(int*)value = (int)kReservedBytes;
  return 0;
}

int gettimeofday(struct timeval* restrict shown, void* restrict zone) {
  (void)zone;
  now_ns += kLookNs;
  shown->tv_sec = begin_s + now_ns / kSecond;
  shown->tv_usec = now_ns % kSecond / 1000;
  return 0;
}

time_t time(time_t* seconds) {
  const time_t now_s = begin_s + now_ns / kSecond;
  if (seconds != NULL) *seconds = now_s;
  return now_s;
}

int usleep(useconds_t us) {
  now_ns += (int64_t)us * 1000;
  return 0;
}

// Programs wait by these for the device, or for time.
int select(int count, fd_set* restrict reads, fd_set* restrict writes, fd_set* restrict errors,
           struct timeval* restrict most) {
  (void)count;
  const bool ready = reads != NULL && device >= 0 && FD_ISSET(device, reads) && outstanding();
  if (reads != NULL) FD_ZERO(reads);
  if (writes != NULL) FD_ZERO(writes);
  if (errors != NULL) FD_ZERO(errors);
  if (ready) FD_SET(device, reads);
  if (!ready && most != NULL) now_ns += most->tv_sec * kSecond + most->tv_usec * 1000;
  return ready;
}

int poll(struct pollfd* files, nfds_t count, int most_ms) {
  bool ours = count == 0;
  for (nfds_t i = 0; i < count; ++i) {
    files[i].revents = 0;
    if (files[i].fd != device || device < 0) continue;
    ours = true;
    if (!outstanding()) continue;
    files[i].revents = files[i].events;
    return 1;
  }
  if (!ours) {
    const struct timespec most = {most_ms / 1000, most_ms % 1000 * 1000000L};
    return ppoll(files, count, most_ms < 0 ? NULL : &most, NULL);
  }
  if (most_ms > 0) now_ns += (int64_t)most_ms * 1000000;
  return 0;
}

// Preloaded into platter: one kind of call fails at its nth place, on files in one folder. What
// bench/trust/failing_calls.py does with it stands there. All is told by the environment:
//
//   FAILING_CALLS_PROGRAM  the program's name; in all others (a drive program, skopeo) nothing
//   fails FAILING_CALLS_FOLDER   calls on what lies in it are counted FAILING_CALLS_KIND     write,
//   fsync, close, rename or unlink, each with its siblings FAILING_CALLS_AT       which one fails;
//   0: none FAILING_CALLS_ERRNO    with what; a write that fails for want of room first writes a
//   half FAILING_CALLS_STAYS    1: all behind it fail, too FAILING_CALLS_MARKS    texts, separated
//   by '|': which of them were written is told with each line FAILING_CALLS_BOARD    a file of one
//   page: the count, shared by all processes of a run FAILING_CALLS_LOG      gets "FAILED NUMBER
//   MARKS PATH" of each call that counts; FAILED is 0 or 1
//
// A close that fails has closed, as on Linux; a write, fsync, rename or unlink that fails has done
// nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct board {
  atomic_uint calls, marks;
};

static struct board* board;
static const char *folder, *kind, *marks;
static unsigned fails_at;
static int error_told, stays, log_file = -1;
static _Thread_local int fails_next = -1;  // the descriptor of a write that was half done

static const char* told(const char* name) {
  const char* const value = getenv(name);
  return value != NULL ? value : "";
}

__attribute__((constructor)) static void set_up(void) {
  char program[PATH_MAX] = "";
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  const char* const name = length > 0 ? strrchr(program, '/') : NULL;
  if (name == NULL || strcmp(name + 1, told("FAILING_CALLS_PROGRAM")) != 0) return;
  const int file = open(told("FAILING_CALLS_BOARD"), O_RDWR | O_CLOEXEC);
  void* const page = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  log_file = open(told("FAILING_CALLS_LOG"), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (page == MAP_FAILED || log_file < 0) {
    fprintf(stderr, "failing_calls: its board or log cannot be opened\n");
    _exit(99);
  }
  log_file = fcntl(log_file, F_DUPFD_CLOEXEC, 900);
  folder = told("FAILING_CALLS_FOLDER");
  kind = told("FAILING_CALLS_KIND");
  marks = told("FAILING_CALLS_MARKS");
  fails_at = (unsigned)strtoul(told("FAILING_CALLS_AT"), NULL, 10);
  error_told = atoi(told("FAILING_CALLS_ERRNO"));
  stays = atoi(told("FAILING_CALLS_STAYS"));
  board = page;
}

static int is_in_folder(const char* path) {
  const size_t length = strlen(folder);
  return path[0] != '/' || (strncmp(path, folder, length) == 0 && path[length] == '/');
}

// Counts a call. 1: it is to fail, and errno says with what.
static int counts_and_fails(const char* of, const char* path) {
  if (board == NULL || strcmp(kind, of) != 0 || !is_in_folder(path)) return 0;
  const unsigned number = atomic_fetch_add(&board->calls, 1) + 1;
  const int fails = fails_at != 0 && (number == fails_at || (stays && number > fails_at));
  char line[PATH_MAX + 64];
  const int length = snprintf(line, sizeof line, "%d %u %u %s\n", fails, number,
                              atomic_load(&board->marks), path);
  const int before = errno;
  if (fails || fails_at == 0) {
    syscall(SYS_write, log_file, line, (size_t)length);
  }
  errno = fails ? error_told : before;
  return fails;
}

// The path of an open file in which bytes are kept, or of a folder; 0: it is something else.
static int path_of(int descriptor, int folders, char path[PATH_MAX]) {
  struct stat status;
  if (board == NULL || descriptor == log_file || fstat(descriptor, &status) != 0) return 0;
  const int is_written = S_ISREG(status.st_mode) &&
                         (fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_RDONLY;
  if (!is_written && !(folders && S_ISDIR(status.st_mode))) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) return 0;
  path[length] = '\0';
  return path[0] == '/' && is_in_folder(path);
}

static int descriptor_fails(const char* of, int descriptor, int folders) {
  char path[PATH_MAX];
  return path_of(descriptor, folders, path) && counts_and_fails(of, path);
}

static void look_for_marks(const void* bytes, size_t count) {
  if (board == NULL) return;
  unsigned bit = 1;
  for (const char* mark = marks; *mark != '\0'; bit <<= 1) {
    const size_t length = strcspn(mark, "|");
    if (memmem(bytes, count, mark, length) != NULL) atomic_fetch_or(&board->marks, bit);
    mark += length + (mark[length] == '|');
  }
}

#define BEHIND(name, type) \
  static type behind;      \
  if (behind == NULL) behind = (type)dlsym(RTLD_NEXT, name)

typedef ssize_t (*write_call)(int, const void*, size_t);
typedef ssize_t (*pwrite_call)(int, const void*, size_t, off_t);
typedef ssize_t (*writev_call)(int, const struct iovec*, int);
typedef int (*descriptor_call)(int);
typedef int (*rename_call)(const char*, const char*);
typedef int (*renameat_call)(int, const char*, int, const char*);
typedef int (*renameat2_call)(int, const char*, int, const char*, unsigned);
typedef int (*unlink_call)(const char*);
typedef int (*unlinkat_call)(int, const char*, int);

// How much of a write is done: all, the half of it for want of room, or nothing (-1).
static ssize_t what_is_written(int descriptor, size_t count) {
  if (fails_next >= 0 && fails_next == descriptor) {
    fails_next = -1;
    errno = error_told;
    return -1;
  }
  if (!descriptor_fails("write", descriptor, 0)) return (ssize_t)count;
  if (error_told != ENOSPC || count < 2) return -1;
  fails_next = descriptor;
  return (ssize_t)(count / 2);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  BEHIND("write", write_call);
  const ssize_t some = what_is_written(descriptor, count);
  if (some < 0) return -1;
  const ssize_t done = behind(descriptor, bytes, (size_t)some);
  if (done == (ssize_t)count) look_for_marks(bytes, count);
  return done;
}

static ssize_t write_at(pwrite_call behind, int descriptor, const void* bytes, size_t count,
                        off_t place) {
  const ssize_t some = what_is_written(descriptor, count);
  return some < 0 ? -1 : behind(descriptor, bytes, (size_t)some, place);
}

ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t place) {
  BEHIND("pwrite", pwrite_call);
  return write_at(behind, descriptor, bytes, count, place);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t place) {
  BEHIND("pwrite64", pwrite_call);
  return write_at(behind, descriptor, bytes, count, place);
}

ssize_t writev(int descriptor, const struct iovec* parts, int count) {
  BEHIND("writev", writev_call);
  return descriptor_fails("write", descriptor, 0) ? -1 : behind(descriptor, parts, count);
}

int fsync(int descriptor) {
  BEHIND("fsync", descriptor_call);
  return descriptor_fails("fsync", descriptor, 1) ? -1 : behind(descriptor);
}

int fdatasync(int descriptor) {
  BEHIND("fdatasync", descriptor_call);
  return descriptor_fails("fsync", descriptor, 1) ? -1 : behind(descriptor);
}

int close(int descriptor) {
  BEHIND("close", descriptor_call);
  const int fails = descriptor_fails("close", descriptor, 0);
  const int error = errno;
  const int closed = behind(descriptor);
  if (!fails) return closed;
  errno = error;
  return -1;
}

int rename(const char* from, const char* to) {
  BEHIND("rename", rename_call);
  return counts_and_fails("rename", to) ? -1 : behind(from, to);
}

int renameat(int at, const char* from, int other, const char* to) {
  BEHIND("renameat", renameat_call);
  return counts_and_fails("rename", to) ? -1 : behind(at, from, other, to);
}

int renameat2(int at, const char* from, int other, const char* to, unsigned flags) {
  BEHIND("renameat2", renameat2_call);
  return counts_and_fails("rename", to) ? -1 : behind(at, from, other, to, flags);
}

int unlink(const char* path) {
  BEHIND("unlink", unlink_call);
  return counts_and_fails("unlink", path) ? -1 : behind(path);
}

int remove(const char* path) {
  BEHIND("remove", unlink_call);
  return counts_and_fails("unlink", path) ? -1 : behind(path);
}

int unlinkat(int at, const char* path, int flags) {
  BEHIND("unlinkat", unlinkat_call);
  return counts_and_fails("unlink", path) ? -1 : behind(at, path, flags);
}

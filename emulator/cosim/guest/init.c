// Process 1 of the guest: lays the guest's own memory over the host's files, runs the command in
// it, hands on what the command writes, tells how it ended, and switches the guest off. The
// kernel's command line names the file that says what to run (record.h): PLATTER_COSIM_JOB=FILE.
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "emulator/cosim/guest/record.h"

#define CHANNEL "/dev/ttyS0"
#define MOST_ENTRIES 65536

static int channel = -1;

// --- To the emulator.

static void write_whole(int file, const void* bytes, size_t count) {
  for (const char* from = bytes; count > 0;) {
    const ssize_t wrote = write(file, from, count);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    from += wrote;
    count -= (size_t)wrote;
  }
}

static void tell(uint32_t kind, const void* bytes, size_t count) {
  const struct platter_cosim_record record = {kind, (uint32_t)count};
  write_whole(channel, &record, sizeof record);
  write_whole(channel, bytes, count);
}

static void switch_off(void) {
  sync();
  reboot(RB_POWER_OFF);
  for (;;) pause();
}

// A sentence's beginning; errno says why.
static void give_up(const char* what, const char* which) {
  char text[512];
  const int length = snprintf(text, sizeof text, "%s%s: %s", what, which, strerror(errno));
  tell(PLATTER_COSIM_NO_GUEST, text,
       (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
  switch_off();
}

// As it comes, without what a terminal would make of it.
static void open_channel(void) {
  channel = open(CHANNEL, O_WRONLY | O_NOCTTY | O_CLOEXEC);
  struct termios raw;
  if (tcgetattr(channel, &raw) != 0) return;
  cfmakeraw(&raw);
  tcsetattr(channel, TCSANOW, &raw);
}

// --- What to run.

struct job {
  const char* folder;
  const char* input;
  bool merged;
  char* shares[MOST_ENTRIES];
  char* variables[MOST_ENTRIES];
  char* arguments[MOST_ENTRIES];
  size_t share_count, variable_count, argument_count;
};

static struct job job;

static void add(char** list, size_t* count, char* value) {
  if (*count + 1 == MOST_ENTRIES) {
    errno = E2BIG;
    give_up("the command has too many arguments or variables", "");
  }
  list[(*count)++] = value;
}

static void take_entry(char* entry) {
  char* const value = entry + 1;
  switch (*entry) {
    case PLATTER_COSIM_FOLDER:
      job.folder = value;
      break;
    case PLATTER_COSIM_INPUT:
      job.input = value;
      break;
    case PLATTER_COSIM_MERGED:
      job.merged = true;
      break;
    case PLATTER_COSIM_SHARE:
      add(job.shares, &job.share_count, value);
      break;
    case PLATTER_COSIM_VARIABLE:
      add(job.variables, &job.variable_count, value);
      break;
    case PLATTER_COSIM_ARGUMENT:
      add(job.arguments, &job.argument_count, value);
      break;
    default:
      break;
  }
}

static void read_job(const char* path) {
  if (path == NULL) path = "";
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) give_up("it cannot read what it has to run, ", path);
  const size_t size = (size_t)status.st_size;
  char* const text = malloc(size + 1);
  if (text == NULL) give_up("it has no memory for what it has to run", "");
  size_t got = 0;
  for (ssize_t now = 0; (now = read(file, text + got, size - got)) > 0;) got += (size_t)now;
  close(file);
  text[got] = '\0';
  for (char* entry = text; entry < text + got; entry += strlen(entry) + 1) take_entry(entry);
}

// --- Its files: the host's, and what is written stays in memory.

static void must_mount(const char* what, const char* where, const char* type, unsigned long flags,
                       const char* options) {
  if (mount(what, where, type, flags, options) != 0) give_up("it cannot mount ", where);
}

static void make_folder(const char* path) {
  if (mkdir(path, 0755) != 0 && errno != EEXIST) give_up("it cannot make ", path);
}

// At a place that every host has, and that is covered anyway.
#define SCRATCH "/proc"

static void lay_memory_over_host(void) {
  must_mount("memory", SCRATCH, "tmpfs", 0, "mode=755");
  make_folder(SCRATCH "/upper");
  make_folder(SCRATCH "/work");
  make_folder(SCRATCH "/root");
  must_mount("host", SCRATCH "/root", "overlay", 0,
             "lowerdir=/,upperdir=" SCRATCH "/upper,workdir=" SCRATCH "/work");
  if (chdir(SCRATCH "/root") != 0) give_up("it has no root", "");
}

static void mount_kernels_own(void) {
  must_mount("proc", "./proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
  must_mount("sysfs", "./sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
  must_mount("devtmpfs", "./dev", "devtmpfs", MS_NOSUID, "mode=755");
  make_folder("./dev/pts");
  make_folder("./dev/shm");
  must_mount("devpts", "./dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "mode=620,ptmxmode=666");
  must_mount("tmpfs", "./dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
  must_mount("tmpfs", "./run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755");
  make_folder("./run/lock");
  if (symlink("/proc/self/fd", "./dev/fd") != 0 || symlink("fd/0", "./dev/stdin") != 0 ||
      symlink("fd/1", "./dev/stdout") != 0 || symlink("fd/2", "./dev/stderr") != 0)
    give_up("it cannot make links in ", "/dev");
}

static void mount_shares(void) {
  for (size_t i = 0; i < job.share_count; ++i) {
    char place[4096];
    snprintf(place, sizeof place, ".%s", job.shares[i]);
    must_mount("host", place, "hostfs", 0, job.shares[i]);
  }
}

static void move_root(void) {
  if (mount(".", "/", NULL, MS_MOVE, NULL) != 0 || chroot(".") != 0 || chdir("/") != 0)
    give_up("it cannot change its root", "");
}

static void raise_loopback(void) {
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
  ioctl(any, SIOCSIFFLAGS, &request);
  close(any);
}

// --- The command.

struct stream {
  uint32_t kind;
  int from;  // -1: at its end
};

static void close_stream(struct stream* stream) {
  close(stream->from);
  stream->from = -1;
}

static void hand_on(struct stream* stream) {
  static char bytes[65536];
  const ssize_t got = read(stream->from, bytes, sizeof bytes);
  if (got > 0)
    tell(stream->kind, bytes, (size_t)got);
  else if (got == 0 || (errno != EINTR && errno != EAGAIN))
    close_stream(stream);
}

static void become_command(int out, int err, int failed) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setsid();
  const int input = open(job.input, O_RDONLY);
  if (input >= 0 && chdir(job.folder) == 0 && dup2(input, STDIN_FILENO) >= 0 &&
      dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0) {
    if (input > STDERR_FILENO) close(input);
    environ = job.variables;
    execvp(job.arguments[0], job.arguments);
  }
  const int32_t reason = errno;
  write_whole(failed, &reason, sizeof reason);
  _exit(127);
}

// Nonblocking at our end alone: what is left behind the command's end is taken, and not waited for.
static void make_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC) != 0) give_up("it cannot make a pipe", "");
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

static pid_t begin_command(struct stream streams[2]) {
  int out[2], err[2], failed[2];
  make_pipe(out);
  make_pipe(err);
  if (pipe2(failed, O_CLOEXEC) != 0) give_up("it cannot make a pipe", "");
  const pid_t command = fork();
  if (command < 0) give_up("it cannot fork", "");
  if (command == 0) become_command(out[1], job.merged ? out[1] : err[1], failed[1]);
  close(out[1]);
  close(err[1]);
  close(failed[1]);
  int32_t reason = 0;
  if (read(failed[0], &reason, sizeof reason) == (ssize_t)sizeof reason) {
    tell(PLATTER_COSIM_NOT_BEGUN, &reason, sizeof reason);
    switch_off();
  }
  close(failed[0]);
  streams[0].from = out[0];
  streams[1].from = err[0];
  return command;
}

// As process 1 has to, all who end. True: the command did, with this status.
static bool has_ended(pid_t command, int32_t* status) {
  bool ended = false;
  int one = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &one, WNOHANG)) > 0;)
    if (pid == command) {
      *status = one;
      ended = true;
    }
  return ended;
}

static int32_t run_command(int children) {
  struct stream streams[2] = {{PLATTER_COSIM_STDOUT, -1}, {PLATTER_COSIM_STDERR, -1}};
  const pid_t command = begin_command(streams);
  int32_t status = 0;
  for (bool ended = false; !ended;) {
    struct pollfd watched[3] = {
        {streams[0].from, POLLIN, 0}, {streams[1].from, POLLIN, 0}, {children, POLLIN, 0}};
    if (poll(watched, 3, -1) < 0) continue;
    for (int i = 0; i < 2; ++i)
      if (watched[i].revents != 0) hand_on(&streams[i]);
    struct signalfd_siginfo signal;
    if (watched[2].revents != 0 && read(children, &signal, sizeof signal) > 0)
      ended = has_ended(command, &status);
  }
  for (int i = 0; i < 2; ++i)
    for (int left = 1; streams[i].from >= 0 && left > 0;) {
      if (ioctl(streams[i].from, FIONREAD, &left) != 0 || left == 0) break;
      hand_on(&streams[i]);
    }
  return status;
}

// --- The end.

// Not the kernel's own threads: one of md that is told to end writes nothing any more.
static bool is_program(const char* pid) {
  char path[64], target[8];
  snprintf(path, sizeof path, "/proc/%.20s/exe", pid);
  return readlink(path, target, sizeof target) > 0;  // neither is who has ended
}

// Whether there were any.
static bool kill_programs(void) {
  DIR* const all = opendir("/proc");
  if (all == NULL) return kill(-1, SIGKILL) == 0;
  bool any = false;
  for (const struct dirent* each; (each = readdir(all)) != NULL;) {
    const pid_t pid = isdigit(each->d_name[0]) ? atoi(each->d_name) : 0;
    if (pid > 1 && is_program(each->d_name)) any = kill(pid, SIGKILL) == 0 || any;
  }
  closedir(all);
  return any;
}

// They may fork meanwhile, and take a while to end.
static void end_programs(void) {
  const struct timespec pause = {0, 1000000};
  while (kill_programs()) {
    nanosleep(&pause, NULL);
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
  }
  while (wait(NULL) > 0) continue;
}

static void unmount_all(void) {
  static char places[256][256];
  size_t count = 0;
  FILE* const mounts = setmntent("/proc/self/mounts", "r");
  for (const struct mntent* each;
       mounts != NULL && count < 256 && (each = getmntent(mounts)) != NULL;)
    snprintf(places[count++], sizeof places[0], "%s", each->mnt_dir);
  if (mounts != NULL) endmntent(mounts);
  while (count > 0)
    if (strcmp(places[--count], "/") != 0 && strcmp(places[count], "/proc") != 0)
      umount2(places[count], 0);
}

int main(void) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
  mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);  // some kernels have
  open_channel();
  read_job(getenv(PLATTER_COSIM_JOB));
  lay_memory_over_host();
  mount_kernels_own();
  mount_shares();
  move_root();
  raise_loopback();
  const int32_t status = run_command(signalfd(-1, &child, SFD_CLOEXEC));
  tell(PLATTER_COSIM_ENDED, &status, sizeof status);
  end_programs();
  unmount_all();
  switch_off();
}

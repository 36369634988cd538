#define _GNU_SOURCE
#include "emulator/cosim/preload/session.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static void wait_for_end(pid_t kernel, const sigset_t* signals) {
  siginfo_t ended = {.si_pid = 0};
  while (ended.si_pid == 0) {
    if (sigwaitinfo(signals, NULL) == SIGTERM) kill(kernel, SIGKILL);
    waitid(P_PID, (id_t)kernel, &ended, WEXITED | WNOHANG | WNOWAIT);
  }
}

// Not yet reaped, the kernel keeps its number from being another's.
static void end_rest(pid_t kernel) {
  kill(-kernel, SIGKILL);
  while (waitid(P_ALL, 0, NULL, WEXITED | __WALL) == 0 || errno == EINTR) {
  }
}

// A signal of its parent's death alone does not end a program that is just being made: the kernel's
// programs make others by bare system calls of their own (stub_clone_handler() in
// arch/um/kernel/skas/clone.c), and it begins by fork() those that it tries ptrace(2) with. Such a
// child asks its parent to trace it and stops; where the kernel has ended before that, its parent
// is the nearest process that takes orphans in, and process 1 would let it stand for ever.
void session_begin(void) {
  sigset_t signals, before;
  sigfillset(&signals);
  sigprocmask(SIG_SETMASK, &signals, &before);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t keeper = getpid();
  const pid_t kernel = fork();
  if (kernel < 0) {
    perror("no process can be made for the guest's kernel");
    _exit(1);
  }
  setpgid(kernel, kernel);  // with all that it starts; by both, so that neither goes on without
  if (kernel == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper) _exit(1);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return;
  }
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGCHLD);
  wait_for_end(kernel, &signals);
  end_rest(kernel);
  _exit(0);
}

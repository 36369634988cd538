#include "emulator/vhost_user/patience.h"

#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace platter::emulator {
namespace {

void interrupt(int) {}

}  // namespace

// A signal that comes just before the call does not interrupt it: so it comes again and again.
Patience::Patience() {
  struct sigaction action {};
  action.sa_handler = interrupt;  // and no SA_RESTART
  sigaction(SIGALRM, &action, nullptr);
  sigset_t alarm{};
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGALRM;
  event._sigev_un._tid = gettid();
  timer_create(CLOCK_MONOTONIC, &event, &timer_);
}

Patience::~Patience() { timer_delete(timer_); }

void Patience::set(long ns) const {
  const int error = errno;
  const itimerspec when{{0, ns}, {0, ns}};
  timer_settime(timer_, 0, &when, nullptr);
  errno = error;
}

}  // namespace platter::emulator

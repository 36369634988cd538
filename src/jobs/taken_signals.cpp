#include "jobs/taken_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace platter::jobs {

TakenSignals::TakenSignals(std::initializer_list<int> taken) {
  sigemptyset(&taken_);
  for (const int signal : taken) {
    struct sigaction now {};
    ::sigaction(signal, nullptr, &now);
    if (signal != SIGHUP || now.sa_handler != SIG_IGN) sigaddset(&taken_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &taken_, &before_);
}

TakenSignals::~TakenSignals() {
  if (descriptor_ >= 0) ::close(descriptor_);
  leave_as_before();
}

int TakenSignals::next() const {
  for (;;)
    if (const int signal = ::sigwaitinfo(&taken_, nullptr); signal > 0) return signal;
}

int TakenSignals::descriptor() {
  if (descriptor_ < 0) descriptor_ = ::signalfd(-1, &taken_, SFD_CLOEXEC | SFD_NONBLOCK);
  return descriptor_;
}

int TakenSignals::read() {
  signalfd_siginfo info{};
  return ::read(descriptor(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                                 : 0;
}

void TakenSignals::leave_as_before() const noexcept {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace platter::jobs

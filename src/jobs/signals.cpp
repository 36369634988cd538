#include "jobs/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <ctime>
#include <string_view>

#include "model/error.h"
#include "model/interruption.h"
#include "model/leftovers.h"

namespace platter::jobs {

namespace {

// What hands a terminal's signal on to its children makes two of one.
constexpr long kSameSignal_ms = 200;

volatile std::sig_atomic_t in_order = 0;
volatile long first_ms = 0;

long now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

[[noreturn]] void end_at_once(std::string_view sentence) {
  model::remove_leftovers();
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, sentence.data(), sentence.size());
  ::_exit(static_cast<int>(ExitStatus::interrupted));
}

void note(int) {
  if (in_order == 0) end_at_once("platter: stopped by a signal; no file is left half-written\n");
  if (stop_asked() && now_ms() - first_ms > kSameSignal_ms)
    end_at_once(
        "platter: stopped by a second signal; the settings of a drive that was being measured are "
        "not "
        "restored: platter restore JOURNAL does it\n");
  if (!stop_asked()) first_ms = now_ms();
  ask_to_stop();
}

}  // namespace

void end_at_once_on_signals() {
  in_order = 0;
  stop_if_asked();
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;  // a drive's command is waited for
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&action.sa_mask, signal);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    const bool nohup = signal == SIGHUP && before.sa_handler == SIG_IGN;
    if (!nohup) ::sigaction(signal, &action, nullptr);
  }
}

void catch_interrupts() { in_order = 1; }

bool interrupted() { return stop_asked(); }

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

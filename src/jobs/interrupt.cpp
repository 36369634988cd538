#include "jobs/interrupt.h"

#include <unistd.h>

#include <csignal>
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

}  // namespace platter::jobs

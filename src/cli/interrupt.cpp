#include "cli/interrupt.h"

#include <csignal>
#include <initializer_list>

#include <fmt/format.h>

#include "model/error.h"

namespace platter::cli {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;

// A second signal of the same kind ends the program at once.
void note(int signal) {
  asked_to_stop = 1;
  std::signal(signal, SIG_DFL);
}

void note_all(int flags) {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = flags;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

}  // namespace

void catch_interrupts() { note_all(SA_RESTART); }

void catch_interrupts_while_reading() { note_all(0); }

bool interrupted() { return asked_to_stop != 0; }

void stop_if_interrupted(const std::string& output) {
  if (interrupted())
    throw Error(ExitStatus::interrupted,
                fmt::format("stopped by a signal; {} was not written", output));
}

}  // namespace platter::cli

#include "cli/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace platter::cli {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;

// A second signal of the same kind ends the program at once.
void note(int signal) {
  asked_to_stop = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, note);
}

bool interrupted() { return asked_to_stop != 0; }

}  // namespace platter::cli

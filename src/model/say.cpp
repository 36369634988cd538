#include "model/say.h"

#include <poll.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <cstdio>

namespace platter::model {

namespace {

// What was printed before stands before, where both go to one place. A pipe that nobody reads is
// not waited for longer than this, else a notice of just that would never come.
void flush_output() noexcept {
  constexpr int kPatience_ms = 200;
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  if (__fpending(stdout) > 0 && poll(&output, 1, kPatience_ms) > 0) std::fflush(stdout);
}

}  // namespace

void say_text(std::string_view text) noexcept {
  flush_output();
  if (std::fwrite(text.data(), 1, text.size(), stderr) != text.size()) std::clearerr(stderr);
}

}  // namespace platter::model

#include "cli/streams.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <utility>

#include "cli/fitting_lines.h"
#include "model/printable.h"

namespace platter::cli {
namespace {

struct Stream {
  int descriptor;
  int error = 0;          // of the first write that failed
  std::string cut_off{};  // the beginning of a character whose end is to come
  bool printed = false, fits_lines = false;
  std::string line{};  // of those that are to fit: whose end is to come

  void write(std::string_view bytes) {
    while (!bytes.empty() && error == 0) {
      const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
      if (written >= 0)
        bytes.remove_prefix(static_cast<std::size_t>(written));
      else if (errno != EINTR)
        error = errno;
    }
  }

  void print(std::string_view bytes) {
    printed = true;
    const std::string text = cut_off + std::string(bytes);
    std::string shown;
    cut_off = text.substr(text.size() - model::append_printable_lines(shown, text));
    fits_lines ? write_fitting(shown) : write(shown);
  }

  void write_fitting(std::string_view text) {
    std::string lines;
    const std::size_t columns = columns_of(descriptor);
    for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;
         text.remove_prefix(end + 1)) {
      line += text.substr(0, end);
      lines += fitting_lines(std::exchange(line, {}), columns);
    }
    line += text;
    write(lines);
  }

  void as_it_is() {
    fits_lines = false;
    write(std::exchange(line, {}));
  }

  void finish() {
    as_it_is();
    write(model::printable(cut_off));
  }
};

Stream& output() {
  static Stream stream{STDOUT_FILENO};
  return stream;
}
Stream& messages() {
  static Stream stream{STDERR_FILENO};
  return stream;
}

// All is taken, so that whoever prints goes on with his work; finish_streams() tells.
ssize_t take(void* stream, const char* bytes, std::size_t count) {
  static_cast<Stream*>(stream)->print({bytes, count});
  return static_cast<ssize_t>(count);
}

FILE* opened(Stream& stream, FILE* otherwise, int buffering) {
  FILE* const file = ::fopencookie(
      &stream, "w", {.read = nullptr, .write = take, .seek = nullptr, .close = nullptr});
  if (file == nullptr) return otherwise;
  ::setvbuf(file, nullptr, buffering, BUFSIZ);
  return file;
}

// The number of a stream that was closed would be the next file's, which would then hold what is
// printed. A write to what takes its place fails, as one to a closed stream does.
void keep_numbers() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(number, F_GETFD) < 0) static_cast<void>(::open("/dev/null", O_RDONLY));
}

}  // namespace

void set_up_streams() {
  keep_numbers();
  std::signal(SIGPIPE, SIG_IGN);
  // Elsewhere a program reads it, or a file keeps it: there a line is a datum.
  output().fits_lines = ::isatty(STDOUT_FILENO) != 0 || width_in_environment() > 0;
  stdout = opened(output(), stdout, ::isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
  stderr = opened(messages(), stderr, _IONBF);
}

void print_fitting() {
  std::fflush(stdout);
  output().fits_lines = true;
}

void print_as_it_is() {
  std::fflush(stdout);
  output().as_it_is();
}

int finish_streams() {
  std::fflush(stdout);
  std::fflush(stderr);
  output().finish();
  messages().finish();
  return output().error;
}

bool has_printed() {
  std::fflush(stdout);
  return output().printed;
}

void draw_on_terminal(std::string_view bytes) {
  std::fflush(stderr);
  messages().write(bytes);
}

}  // namespace platter::cli

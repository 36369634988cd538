#include "cli/streams.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

#include "model/number_in.h"
#include "model/printable.h"

namespace platter::cli {
namespace {

// Lines for a terminal of so many columns.
constexpr std::size_t kUsual = 80, kFewest = 40;

// Where the second field begins, if that leaves room; else a little further in than the line.
std::size_t indentation_of(std::string_view line, std::size_t columns) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  constexpr std::size_t kIsIndented = 8, kFurther = 4;
  if (begin >= kIsIndented) return std::min(begin, columns / 2);
  const std::size_t gap = line.find("  ", begin);
  const std::size_t second = gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
  return second <= columns / 2 ? second : begin + kFurther;
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

// "--json": a line does not begin with one that is only spoken of, if it can be helped.
bool is_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' &&
         (word[1] == '-' || std::isalpha(static_cast<unsigned char>(word[1])));
}

// How much of the line fits; at least one word.
std::size_t fitting(std::string_view line, std::size_t columns) {
  constexpr std::size_t kNone = std::string_view::npos;
  const std::size_t begin = line.find_first_not_of(' ');
  std::size_t width = 0, end = kNone, in_front_of_option = kNone;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == ' ' && at > begin && line[at - 1] != ' ') {
      const std::size_t next = line.find_first_not_of(' ', at);
      if (next == kNone) return width <= columns || end == kNone ? at : end;
      (is_option(line.substr(next)) ? in_front_of_option : end) = at;
    }
    width += begins_character(line[at]) ? 1 : 0;
    if (width <= columns) continue;
    if (end != kNone) return end;
    if (in_front_of_option != kNone) return in_front_of_option;
  }
  return line.size();
}

// What COLUMNS in the environment says; 0 where it is no number of columns.
std::size_t width_in_environment() {
  const char* const said = std::getenv("COLUMNS");
  return said == nullptr ? 0 : model::number_in<std::size_t>(said).value_or(0);
}

// Columns of the terminal behind this descriptor; without one those in the environment, or 80.
std::size_t columns_of(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return width_in_environment() > 0 ? std::max(width_in_environment(), kFewest) : kUsual;
  return std::max<std::size_t>(size.ws_col, kFewest);
}

// `line`, which has no line feed, on as many lines as it needs, each with one. It is broken at
// blanks, in front of no option; what follows is indented to its second field. A word that is
// longer stays whole. A byte that goes on a character of UTF-8 takes no column.
std::string fitting_lines(std::string_view line, std::size_t columns) {
  const std::string indent(indentation_of(line, columns), ' ');
  std::size_t taken = line.size() <= columns ? line.size() : fitting(line, columns);
  std::string text = std::string(line.substr(0, taken)) + "\n";
  for (std::size_t next = line.find_first_not_of(' ', taken); next < line.size();
       next = line.find_first_not_of(' ', taken)) {
    line.remove_prefix(next);
    taken = fitting(line, columns - indent.size());
    text += indent + std::string(line.substr(0, taken)) + "\n";
  }
  return text;
}

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

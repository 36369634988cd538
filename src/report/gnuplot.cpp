#include "report/gnuplot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>

#include "model/error.h"
#include "model/file.h"
#include "model/leftovers.h"
#include "model/printable.h"
#include "model/user_folder.h"
#include "report/made_here.h"

extern char** environ;

namespace platter::report {
namespace {

namespace fs = std::filesystem;

int run_gnuplot(const std::string& script, const std::string& messages) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, messages.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;  // a program expects to be ended by SIGPIPE, which platter ignores
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  std::string program = "gnuplot", argument = script;
  char* const arguments[] = {program.data(), argument.data(), nullptr};
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  std::optional<model::SignalsHeld> held(std::in_place);
  const int error = ::posix_spawnp(&child, "gnuplot", &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    throw Error(ExitStatus::missing_program,
                "gnuplot cannot be started; pictures need it: apt-get install gnuplot-nox");
  const model::Helper helper(child);
  held.reset();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

bool can_draw() { return model::program_on_path("gnuplot", model::PathFolders::all).has_value(); }

void draw(const std::string& script, const std::string& path, const Canvas& canvas) {
  const std::string head = form_of(path, canvas), body = in_form(script, path);
  // A folder for the script, the messages and the unfinished picture.
  const std::string pattern = model::temporary_name("platter-plot");
  model::TemporaryFolder workshop(pattern);
  if (workshop.path().empty())
    throw Error(
        ExitStatus::output,
        fmt::format(
            "{}: no folder for the picture can be made there: {}; set TMPDIR to one that can be "
            "written",
            pattern, std::strerror(errno)));
  const std::string source = workshop.file("script"), picture = workshop.file("picture");
  const auto drawn_at = [&](const std::string& output) {
    return fmt::format("{}set output '{}'\n{}", head, model::replaced(output, "'", "''"), body);
  };
  model::write_file(source, drawn_at(picture));
  const std::string messages = workshop.file("messages");
  const int status = run_gnuplot(source, messages);
  std::error_code error;
  if (status != 0 || !fs::exists(picture, error)) {
    const std::string said = model::read_file(messages);
    throw Error(ExitStatus::output, fmt::format("{}: gnuplot could not draw it: {}", path,
                                                model::replaced(said, "\n", " ")));
  }
  const std::string bytes = model::read_file(picture);
  // gnuplot ends with 0 where its writes fail.
  if (!is_for_terminal(path) && !is_whole_picture(bytes))
    throw Error(ExitStatus::output,
                fmt::format("{}: gnuplot could not write all of it to {}; make room there, or set "
                            "TMPDIR to another folder",
                            path, workshop.path()));
  model::write_file(path, marked_picture(bytes));
  if (!canvas.script.empty())
    model::write_file(canvas.script, marked_script(drawn_at(fs::path(path).filename())));
}

std::string drawn(const std::function<void(const std::string& path)>& plot) {
  model::TemporaryFolder place(model::temporary_name("platter-figure"));
  if (place.path().empty())
    throw Error(ExitStatus::output,
                "no folder for the figure can be made; set TMPDIR to one that can be written");
  const std::string path = place.file(std::string("figure") + kForTerminal);
  plot(path);
  std::istringstream lines(model::replaced(model::read_file(path), "\f", ""));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.find_last_not_of(' ');
    if (end != std::string::npos) text += line.substr(0, end + 1) + "\n";
  }
  return text;
}

std::string panel(double bottom, double top, const Canvas& canvas) {
  constexpr double kLetters = 6.5;  // of an axis's numbers and words
  return fmt::format(
      "set lmargin at screen {:.3f}\nset rmargin at screen 0.94\n"
      "set bmargin at screen {:.3f}\nset tmargin at screen {:.3f}\n",
      std::max(0.165, kLetters * canvas.font / canvas.width), bottom, top);
}

double tics_in(double share, const Canvas& canvas) {
  constexpr double kLine = 1.6;  // of the font's size
  return std::max(1.0, share * canvas.height / (kLine * canvas.font));
}

double room_of_one_panel(const Key& key, const Canvas& canvas) {
  constexpr double kBelow = 5;  // lines of numbers and words
  return std::min(8.0, tics_in(1 - key.share - kBelow * canvas.font / canvas.height, canvas));
}

std::string few_tics(char axis, double span, double most) {
  const double least = (span > 0 ? span : 1) / most;
  double step = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (factor * step >= least) {
      step *= factor;
      break;
    }
  return fmt::format("set {}tics {:.6g}\nset format {} '%.6g'\n", axis, step, axis);
}

std::string log_tics(char axis, double least, double most) {
  constexpr std::size_t kMost = 9;
  const int first = static_cast<int>(std::floor(std::log10(least))),
            last = static_cast<int>(std::floor(std::log10(most)));
  std::vector<double> decades, parts;
  for (int exponent = first; exponent <= last; ++exponent) {
    decades.push_back(std::pow(10, exponent));
    for (const double factor : {1.0, 2.0, 5.0})
      if (const double at = factor * decades.back(); at >= least && at <= most) parts.push_back(at);
  }
  const std::vector<double>& tics = parts.size() <= kMost ? parts : decades;
  return fmt::format("set logscale {}\nset {}tics ({:.6g})\nset format {} '%.6g'\n", axis, axis,
                     fmt::join(tics, ", "), axis);
}

std::string plot_of(const std::vector<std::string>& curves) {
  std::string text = "plot ";
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (i > 0) text += ", \\\n     ";
    text += curves[i];
  }
  return text + "\n";
}

std::string quoted(const std::string& text) {
  std::string plain;
  for (const char letter : model::printable(text)) {
    if (std::strchr("\\_^{}@&~", letter)) plain += '\\';
    plain += letter;
  }
  return fmt::format("'{}'", model::replaced(plain, "'", "''"));
}

}  // namespace platter::report

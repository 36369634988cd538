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
#include "model/program_path.h"
#include "model/temporary_folder.h"
#include "report/made_here.h"

extern char** environ;

namespace platter::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kForTerminal = ".terminal";  // within drawn()
constexpr const char* kFont = "DejaVu Sans";

std::string terminal(const std::string& path, const Canvas& canvas) {
  const std::string extension = fs::path(path).extension();
  if (extension == ".svg")
    return fmt::format("set terminal svg size {},{} enhanced font '{},{}' background '#ffffff'\n",
                       canvas.width, canvas.height, kFont, canvas.font);
  if (extension == ".png")
    return fmt::format(
        "set terminal pngcairo size {},{} enhanced font '{},{}' linewidth 1.5 "
        "background '#ffffff'\n",
        canvas.width * 3 / 2, canvas.height * 3 / 2, kFont, canvas.font * 4 / 3);
  if (extension == kForTerminal) return "set terminal dumb enhanced size 100,26\n";
  throw Error(ExitStatus::usage,
              fmt::format("{}: pictures are .svg or .png; give it such a name", path));
}

// Thin grid, no box, the axes' own colour behind the data's.
constexpr const char* kStyle = R"(set encoding utf8
set border 3 linecolor rgb '#555555'
set tics nomirror out scale 0.6 textcolor rgb '#333333'
set grid linecolor rgb '#dddddd' linewidth 0.8 linetype 1
set title textcolor rgb '#111111'
set rmargin 6
set xlabel textcolor rgb '#333333'
set ylabel textcolor rgb '#333333'
set key textcolor rgb '#222222' samplen 2 spacing 1.2
set linetype 1 linecolor rgb '#aaaaaa' linewidth 6
set linetype 2 linecolor rgb '#0072b2' linewidth 2
set linetype 3 linecolor rgb '#d55e00' linewidth 2 dashtype (9,5)
set linetype 4 linecolor rgb '#009e73' linewidth 2 dashtype (3,4)
set linetype 5 linecolor rgb '#cc79a7' linewidth 2 dashtype (12,4,3,4)
set linetype 6 linecolor rgb '#e69f00' linewidth 2 dashtype (5,2)
set linetype 7 linecolor rgb '#56b4e9' linewidth 2 dashtype (2,2)
set linetype cycle 7
)";

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

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

// A grid of letters hides what is drawn, and words do not stand on end.
std::string in_letters(const std::string& script) {
  return "unset grid\n" + replaced(script, "set ylabel ", "set label 1 at graph 0, graph 1.07 ");
}

}  // namespace

bool can_draw() { return model::program_on_path("gnuplot", model::PathFolders::all).has_value(); }

bool is_for_terminal(const std::string& path) { return path.ends_with(kForTerminal); }

void draw(const std::string& script, const std::string& path, const Canvas& canvas) {
  const std::string head = terminal(path, canvas);
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
  model::write_file(
      source, fmt::format("{}set output '{}'\n{}{}", head, replaced(picture, "'", "''"), kStyle,
                          is_for_terminal(path) ? in_letters(script) : script));
  const std::string messages = workshop.file("messages");
  const int status = run_gnuplot(source, messages);
  std::error_code error;
  if (status != 0 || !fs::exists(picture, error)) {
    const std::string said = model::read_file(messages);
    throw Error(ExitStatus::output,
                fmt::format("{}: gnuplot could not draw it: {}", path, replaced(said, "\n", " ")));
  }
  model::write_file(path, marked_picture(model::read_file(picture)));
}

std::string drawn(const std::function<void(const std::string& path)>& plot) {
  model::TemporaryFolder place(model::temporary_name("platter-figure"));
  if (place.path().empty())
    throw Error(ExitStatus::output,
                "no folder for the figure can be made; set TMPDIR to one that can be written");
  const std::string path = place.file(std::string("figure") + kForTerminal);
  plot(path);
  std::istringstream lines(replaced(model::read_file(path), "\f", ""));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.find_last_not_of(' ');
    if (end != std::string::npos) text += line.substr(0, end + 1) + "\n";
  }
  return text;
}

std::string panel(double bottom, double top) {
  return fmt::format(
      "set lmargin at screen 0.165\nset rmargin at screen 0.94\n"
      "set bmargin at screen {:.3f}\nset tmargin at screen {:.3f}\n",
      bottom, top);
}

std::string few_tics(char axis, double span) {
  constexpr double kMostTics = 4;
  const double least = (span > 0 ? span : 1) / kMostTics;
  double step = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (factor * step >= least) {
      step *= factor;
      break;
    }
  return fmt::format("set {}tics {:.6g}\nset format {} '%.6g'\n", axis, step, axis);
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
  return fmt::format("'{}'", replaced(plain, "'", "''"));
}

}  // namespace platter::report

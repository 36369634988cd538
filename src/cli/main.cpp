#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/examples.h"
#include "cli/help_format.h"
#include "cli/streams.h"
#include "cli/subcommands.h"
#include "cli/usage_error.h"
#include "cli/version.h"
#include "jobs/signals.h"
#include "model/as_error.h"
#include "model/error.h"
#include "model/json_text.h"
#include "model/printable.h"
#include "model/say.h"

namespace {

// Whether --json stands among platter's own words.
bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return false;
    if (word == "--json") return true;
  }
  return false;
}

// Whoever read standard output has gone: nobody misses the rest of it.
bool nobody_reads_on() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

bool is_broken_pipe(const platter::Error& error) {
  return error.status() == platter::ExitStatus::output && nobody_reads_on() &&
         std::string_view(error.what()).find(std::strerror(EPIPE)) != std::string_view::npos;
}

// Who reads only the beginning has what he wants: no sentence, and the status of a program that
// SIGPIPE ended.
int end_as_by_broken_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  return 128 + SIGPIPE;
}

// Where a program waits for JSON and got none yet, it gets the failure as JSON.
int fail(platter::ExitStatus status, const std::string& thrown, bool json) {
  const std::string sentence = platter::model::printable(platter::model::without_middle(thrown));
  platter::model::say("platter: {}\n", sentence);
  if (json && !platter::cli::has_printed()) {
    fmt::print("{}", platter::model::pretty(platter::cli::error_document(status, sentence)));
  }
  return static_cast<int>(status);
}

// Every subcommand, on one screen.
constexpr const char* kOverview =
    R"(platter measures disk drives, and proves the models against the drives.

Usage: platter SUBCOMMAND ...       platter SUBCOMMAND --help: options, examples

Measure a drive
  devices, inspect           what is there; is it fit to be measured?
  characterize               measure a drive and write its model: the main job
  estimate                   the model again, from a run's raw samples
  restore                    put back blocks and settings after a crash
Look at a model
  show, layout               what it says; where blocks lie, at what angle
  diff, truth                two side by side; what a virtual drive really is
  derive, import             with changed figures; from DiskSim's parameters
Prove it
  validate                   the same workloads on drive and model, compared
  trace, replay, compare     the same by single steps, for traces of your own
  study                      many traces, models and options, in one table
  calibrate, result          refine by a measured trace; look into result files
Use it
  emit, report, plot         for simulators and emulators; a page; figures
  emulate, cosim             a disk for other programs; for a simulated kernel
  publish, registry, fleet   into a registry; find, share; drives side by side

  --version, --help; also platter version, platter help SUBCOMMAND
)";

// --help, --version.
int answer(const CLI::App& app, const CLI::ParseError& asked) {
  std::ostringstream text;
  const bool for_help = dynamic_cast<const CLI::CallForHelp*>(&asked) != nullptr;
  if (for_help) platter::cli::print_fitting();
  if (for_help && app.get_subcommands().empty())
    text << kOverview;
  else
    app.exit(asked, text, text);
  fmt::print("{}", text.str());
  return 0;
}

// No value is an empty text, which a shell makes of a variable that is not set; nor the name of the
// next option.
void refuse_what_is_no_value(CLI::App& command) {
  const std::function<std::string(const std::string&)> empty = [](const std::string& value) {
    return value.empty() ? "is empty; leave it out, or give it a value" : "";
  };
  CLI::Validator option_name(
      [&command](std::string& value) {
        const bool is_one = value.starts_with("-") && command.get_option_no_throw(value);
        return is_one ? "its value is missing" : std::string();
      },
      "");
  for (CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() == 0) continue;
    option->check(empty);
    if (!option->get_positional()) option->transform(option_name);  // ahead of its other checks
  }
  for (CLI::App* subcommand : command.get_subcommands({})) refuse_what_is_no_value(*subcommand);
}

// `platter help SUBCOMMAND` is `platter SUBCOMMAND --help`, `platter version` is --version.
std::vector<char*> with_options_for_words(int argc, char** argv) {
  static std::string help = "--help", version = "--version";
  std::vector<char*> words(argv, argv + argc);
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "help") {
    words.erase(words.begin() + 1);
    if (argc == 2 || std::string_view(argv[argc - 1]) != help) words.push_back(help.data());
  } else if (first == "version" && argc == 2) {
    words[1] = version.data();
  }
  words.push_back(nullptr);
  return words;
}

void add_subcommands(CLI::App& app) {
  platter::cli::add_devices(app);
  platter::cli::add_inspect(app);
  platter::cli::add_characterize(app);
  platter::cli::add_estimate(app);
  platter::cli::add_truth(app);
  platter::cli::add_import(app);
  platter::cli::add_derive(app);
  platter::cli::add_emit(app);
  platter::cli::add_emulate(app);
  platter::cli::add_cosim(app);
  platter::cli::add_show(app);
  platter::cli::add_diff(app);
  platter::cli::add_layout(app);
  platter::cli::add_compare(app);
  platter::cli::add_plot(app);
  platter::cli::add_calibrate(app);
  platter::cli::add_replay(app);
  platter::cli::add_result(app);
  platter::cli::add_trace(app);
  platter::cli::add_validate(app);
  platter::cli::add_report(app);
  platter::cli::add_study(app);
  platter::cli::add_restore(app);
  platter::cli::add_publish(app);
  platter::cli::add_registry(app);
  platter::cli::add_fleet(app);
  platter::cli::add_self(app);
  platter::cli::add_examples(app);
}

int run(int argc, char** argv) {
  const bool json = asks_for_json(argc, argv);
  if (json) platter::cli::print_as_it_is();
  CLI::App app{"platter characterizes disk drives, and proves the models against the drives"};
  app.formatter(std::make_shared<platter::cli::HelpFormatter>());
  app.require_subcommand(1);
  app.set_version_flag("--version", platter::cli::version_text);
  app.add_flag_callback(
      "--cite", [] { throw CLI::CallForVersion(platter::cli::citation(), 0); }, "how to cite it");
  add_subcommands(app);
  refuse_what_is_no_value(app);
  const auto subcommands = app.get_subcommands({});
  const auto is_named = [&](const CLI::App* subcommand) { return subcommand->check_name(argv[1]); };
  if (argc > 1 && argv[1][0] != '-' && std::ranges::none_of(subcommands, is_named))
    return fail(platter::ExitStatus::usage,
                platter::cli::no_such_subcommand(app, "platter", argv[1]), json);
  try {
    platter::jobs::end_at_once_on_signals();
    app.parse(platter::cli::take_command(argc, argv), argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return answer(app, error);
    return fail(platter::ExitStatus::usage, platter::cli::usage_sentence(app, error), json);
  } catch (const platter::cli::CommandEnded& command) {
    return command.status;
  } catch (const std::exception& thrown) {
    const platter::Error error = platter::model::as_error(thrown);
    if (is_broken_pipe(error)) return end_as_by_broken_pipe();
    return fail(error.status(), error.what(), json);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  platter::cli::set_up_streams();
  std::vector<char*> words = with_options_for_words(argc, argv);
  const int status = run(static_cast<int>(words.size()) - 1, words.data());
  const int lost = platter::cli::finish_streams();
  if (lost == 0) return status;
  const bool was_an_answer = status == static_cast<int>(platter::ExitStatus::ok) ||
                             status == static_cast<int>(platter::ExitStatus::differs);
  if (lost == EPIPE) return was_an_answer ? end_as_by_broken_pipe() : status;
  const int told = fail(platter::ExitStatus::output,
                        fmt::format("the standard output cannot be written to its end: {}; send it "
                                    "where there is room, and run this again",
                                    std::strerror(lost)),
                        false);
  return was_an_answer ? told : status;
}

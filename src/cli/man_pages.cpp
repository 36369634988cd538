// Man pages of section 1, in the macros of man(7).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "cli/command_tree.h"
#include "jobs/exit_statuses.h"
#include "model/file.h"
#include "model/folder.h"

namespace platter::cli {
namespace {

std::string roff(const std::string& text) {
  std::string out;
  bool begins = true;  // of a line, where a point or a quote would be a macro
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    begins = c == '\n';
  }
  return out;
}

std::string page_name(std::string path) {
  std::ranges::replace(path, ' ', '-');
  return path;
}

std::string synopsis(const Command& command) {
  std::string text = ".B " + roff(command.path) + "\n";
  if (!command.commands.empty()) return text + ".I SUBCOMMAND\n\\&...\n";
  for (const CommandOption& option : command.options)
    if (option.positional)
      text += fmt::format("{}{}{}{}\n", option.required ? "" : "[", roff(option.names.front()),
                          option.many ? "..." : "", option.required ? "" : "]");
  for (const CommandOption& option : command.options)
    if (!option.positional && option.required)
      text += fmt::format(".B {}\n.I {}\n", roff(option.names.front()), roff(option.takes));
  return text + "[options]\n";
}

std::string options_section(const Command& command) {
  std::string text;
  for (const CommandOption& option : command.options) {
    text += ".TP\n.B " + roff(joined(option.names, ", "));
    if (!option.positional && !option.takes.empty()) text += " \\fI" + roff(option.takes) + "\\fR";
    text += "\n" + roff(option.description);
    if (!option.values.empty()) text += roff(" (" + joined(option.values, ", ") + ")");
    if (!option.standard.empty()) text += roff("; without it: " + option.standard);
    text += ".\n";
  }
  return text.empty() ? "" : ".SH OPTIONS\n" + text;
}

// "diff" is of "platter diff", "trace" also of "platter trace lint".
bool is_of(const jobs::StatusCause& cause, const Command& command) {
  const std::string below = command.path.substr(command.path.find(' ') + 1);
  return cause.subcommands.empty() ||
         std::ranges::any_of(cause.subcommands, [&](const std::string& name) {
           return below == name || below.starts_with(name + " ");
         });
}

// Without Markdown's marks; what a link leads to is not there.
std::string plain(const std::string& markdown) {
  static const std::regex link(R"( \(\[[^\]]*\]\([^)]*\)\)|`)");
  return std::regex_replace(markdown, link, "");
}

// The page of platter itself has all, with whom they are of; that of a subcommand has its own.
std::string exit_statuses(const Command& command, const Command& root) {
  std::string text = ".SH EXIT STATUS\nEvery failure ends with one sentence on standard error.\n";
  for (const jobs::StatusMeaning& meaning : jobs::status_meanings()) {
    std::vector<std::string> when;
    for (const jobs::StatusCause& cause : meaning.causes)
      if (&command == &root)
        when.push_back((cause.subcommands.empty()
                            ? ""
                            : fmt::format("{}: ", fmt::join(cause.subcommands, ", "))) +
                       plain(cause.when));
      else if (is_of(cause, command))
        when.push_back(plain(cause.when));
    if (!when.empty())
      text += fmt::format(".TP\n{}\n{}.\n", static_cast<int>(meaning.status),
                          roff(joined(when, "; ")));
  }
  return text;
}

std::string man_page(const Command& command, const Command& root) {
  const std::string name = page_name(command.path);
  std::string text = fmt::format(".TH {} 1 \"\" \"platter {}\" \"User Commands\"\n", roff(name),
                                 PLATTER_VERSION);
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(command.description));
  text += ".SH SYNOPSIS\n" + synopsis(command);
  if (!command.commands.empty()) {
    text += ".SH SUBCOMMANDS\n";
    for (const Command& sub : command.commands)
      text += fmt::format(".TP\n.BR {} (1)\n{}.\n", roff(page_name(sub.path)),
                          roff(sub.description));
  }
  text += options_section(command);
  if (!command.examples.empty()) {
    text += ".SH EXAMPLES\n.nf\n";
    for (const std::string& example : command.examples) text += roff(example) + "\n";
    text += ".fi\n";
  }
  text += exit_statuses(command, root);
  text += ".SH SEE ALSO\n";
  if (&command != &root) text += ".BR platter (1),\n";
  return text +
         ".BR platter\\-model (5),\n.BR platter\\-table (5),\n.BR platter\\-traces (5),\n"
         ".BR platter\\-registry (7)\n";
}

void write_all(const Command& command, const Command& root, const std::string& folder) {
  model::write_file((std::filesystem::path(folder) / (page_name(command.path) + ".1")).string(),
                    man_page(command, root));
  for (const Command& sub : command.commands) write_all(sub, root, folder);
}

}  // namespace

void write_man_pages(const Command& root, const std::string& folder) {
  model::make_folder(folder);
  write_all(root, root, folder);
}

}  // namespace platter::cli

#include "cli/usage_error.h"

#include <fmt/format.h>

#include <sstream>
#include <string_view>
#include <vector>

#include "model/nearest.h"

namespace platter::cli {
namespace {

using Names = std::vector<std::string>;

// The subcommand that was being parsed, and what leads to it.
struct Parsed {
  const CLI::App* app;
  std::string command;  // "platter trace lint"
};

Parsed parsed(const CLI::App& app) {
  Parsed found{&app, "platter"};
  for (;;) {
    const CLI::App* next = nullptr;
    for (const CLI::App* sub : found.app->get_subcommands())
      if (!sub->get_name().empty()) next = sub;  // others are groups of options
    if (!next) return found;
    found = {next, found.command + " " + next->get_name()};
  }
}

Names subcommands_of(const CLI::App& app) {
  Names names;
  for (const CLI::App* sub : app.get_subcommands({}))
    if (!sub->get_name().empty() && !sub->get_group().empty()) names.push_back(sub->get_name());
  return names;
}

void add_options(const CLI::App& app, Names& names) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const CLI::App* sub : app.get_subcommands({}))
    if (sub->get_name().empty()) add_options(*sub, names);
}

// "show" for `platter show`: messages begin with platter's name.
std::string subject(const std::string& command) {
  const std::size_t space = command.find(' ');
  return space == std::string::npos ? command : command.substr(space + 1);
}

// Whatever was meant, and where the help is.
std::string hint(std::string_view typed, const Names& names, const std::string& command) {
  return fmt::format("; {}{} --help lists them", model::did_you_mean(typed, names), command);
}

std::string unexpected(const CLI::App& app, const Parsed& at) {
  const Names left = app.remaining(true);
  for (const std::string& word : left) {
    if (!word.starts_with("-") || word == "-" || word == "--") continue;
    const std::string name = word.substr(0, word.find('='));
    Names options;
    add_options(*at.app, options);
    return fmt::format("{} has no option {}{}", subject(at.command), name,
                       hint(name, options, at.command));
  }
  const std::string word = left.empty() ? "an argument" : "\"" + left.front() + "\"";
  return fmt::format("{} takes no {} here; {} --help tells what it takes", subject(at.command),
                     word, at.command);
}

// "X not in {a,b}", as the library says it, in our words; `meant` gets what was meant.
std::string none_of(const std::string& what, std::string& meant) {
  const std::size_t colon = what.find(": "), in = what.find(" not in {"), end = what.rfind('}');
  if (colon == std::string::npos || in == std::string::npos || end == std::string::npos ||
      in < colon)
    return what;
  const std::string typed = what.substr(colon + 2, in - colon - 2);
  Names names;
  std::istringstream members(what.substr(in + 9, end - in - 9));
  for (std::string member; std::getline(members, member, ',');) names.push_back(member);
  meant = model::did_you_mean(typed, names);
  return fmt::format("{}: {} is none of {}", what.substr(0, colon), typed, fmt::join(names, ", "));
}

}  // namespace

std::string no_such_subcommand(const CLI::App& app, const std::string& command,
                               const std::string& typed) {
  const std::string what = app.get_parent() ? subject(command) + " has" : "there is";
  return fmt::format("{} no subcommand {}{}", what, typed,
                     hint(typed, subcommands_of(app), command));
}

std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error) {
  const Parsed at = parsed(app);
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) return unexpected(app, at);
  if (dynamic_cast<const CLI::RequiredError*>(&error)) {
    // What is misspelt is missed as well.
    for (const std::string& word : app.remaining(true)) {
      if (word.starts_with("-") && word.size() > 1 && word != "--") return unexpected(app, at);
      if (!subcommands_of(*at.app).empty()) return no_such_subcommand(*at.app, at.command, word);
    }
    if (const Names names = subcommands_of(*at.app); !names.empty())
      return fmt::format("{} needs a subcommand: {}; {} --help says what they do",
                         subject(at.command), fmt::join(names, ", "), at.command);
  }
  std::string what = error.what();
  constexpr std::string_view kConversion = "Could not convert: ";
  if (what.starts_with(kConversion)) {
    const std::string option = what.substr(kConversion.size());
    const std::size_t equals = option.find(" = ");
    what = fmt::format("{}: {} is no number that it can take", option.substr(0, equals),
                       equals < option.size() ? option.substr(equals + 3) : "this");
  }
  constexpr std::string_view kMissing = " missing";
  if (const std::size_t colon = what.find(": 1 required ");
      colon != std::string::npos && what.ends_with(kMissing))
    what.replace(colon, std::string::npos, ": its value is missing");
  std::string meant;
  what = none_of(what, meant);
  return fmt::format("{}: {}; {}{} --help tells what it takes", subject(at.command), what, meant,
                     at.command);
}

}  // namespace platter::cli

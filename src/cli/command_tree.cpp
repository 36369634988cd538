#include "cli/command_tree.h"

#include <fmt/format.h>

#include <sstream>

#include "cli/help_format.h"

namespace platter::cli {
namespace {

CommandOption option_of(const CLI::Option& option) {
  CommandOption told{.description = option.get_description(),
                     .standard = option.get_default_str(),
                     .positional = option.get_positional(),
                     .required = option.get_required(),
                     .many = option.get_expected_max() > 1};
  for (const std::string& name : option.get_snames()) told.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) told.names.push_back("--" + name);
  if (told.positional && told.names.empty()) told.names.push_back(option.get_name(true, false));
  if (option.get_items_expected_max() > 0) {
    told.takes = value_word(option);
    told.values = set_of_values(option);
  }
  return told;
}

void add_options(const CLI::App& app, Command& command) {
  for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; }))
    if (!option->get_group().empty()) command.options.push_back(option_of(*option));
}

// The commands behind "Examples:" in the footer.
std::vector<std::string> examples_in(const std::string& footer) {
  const std::size_t begin = footer.find("Examples:");
  std::vector<std::string> examples;
  if (begin == std::string::npos) return examples;
  std::istringstream lines(footer.substr(begin));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  ")) examples.push_back(line.substr(2));
  return examples;
}

}  // namespace

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

Command command_tree(const CLI::App& app, const std::string& path) {
  Command command{.path = path,
                  .description = app.get_description(),
                  .examples = examples_in(app.get_footer())};
  add_options(app, command);
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_name().empty())
      add_options(*sub, command);  // a group of options
    else if (!sub->get_group().empty())
      command.commands.push_back(command_tree(*sub, path + " " + sub->get_name()));
  }
  return command;
}

}  // namespace platter::cli

// The command line as plain data, from CLI11's own tree: what man pages and completions are written
// from, so that neither can say anything else than --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace platter::cli {

struct CommandOption {
  std::vector<std::string> names{};    // "-o", "--output"; of an argument: its name alone
  std::string description{}, takes{};  // takes: "FILE", "NUMBER"; "": it is a flag
  std::vector<std::string> values{};   // of a fixed set
  std::string standard{};              // what it is where it is not given
  bool positional = false, required = false, many = false;
};

struct Command {
  std::string path{};  // "platter trace lint"
  std::string description{};
  std::vector<CommandOption> options{};
  std::vector<Command> commands{};
  std::vector<std::string> examples{};
};

std::string joined(const std::vector<std::string>& parts, const char* separator = " ");

// What is hidden from --help is left out.
Command command_tree(const CLI::App& app, const std::string& path);

void write_man_pages(const Command& root, const std::string& folder);   // platter.1, platter-diff.1
std::string completion(const Command& root, const std::string& shell);  // bash, zsh, fish

}  // namespace platter::cli

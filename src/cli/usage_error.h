// What is wrong with a command line, as a sentence: what was typed, what was meant, where the help
// is.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace platter::cli {

// `error`: what parsing threw; `app` as it stands after that.
std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error);

// Where the first argument names no subcommand: the sentence.
std::string no_such_subcommand(const CLI::App& app, const std::string& command,
                               const std::string& typed);

}  // namespace platter::cli

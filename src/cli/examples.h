// Two examples for the help of each subcommand, of the virtual drive that README's tour uses.
#pragma once

#include <CLI/CLI.hpp>

namespace platter::cli {

// Gives each subcommand that runs its examples.
void add_examples(CLI::App& app);

}  // namespace platter::cli

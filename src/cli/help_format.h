// How --help shows options: what each takes in a word, all else in its sentence.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace platter::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

// What an option takes, in a word: FILE, DIR, SECONDS. For --help and for man pages.
// "" of a flag, and of an argument, whose name is that word.
std::string value_word(const CLI::Option& option);

// Of a fixed set; empty: any value of its kind.
std::vector<std::string> set_of_values(const CLI::Option& option);

// What numbers it can take, as ">= 1" or "0 to 1000"; "" where nothing is said.
std::string range_of_values(const CLI::Option& option);

}  // namespace platter::cli

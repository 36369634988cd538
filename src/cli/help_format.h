// How --help shows options: what each takes in a word, all else in its sentence.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace platter::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace platter::cli

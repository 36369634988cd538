// An option that takes one of a few words for an enumeration; help and errors name the words.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace platter::cli {

template <typename Enum>
CLI::Validator one_of(const std::map<std::string, Enum>& words) {
  std::string set;
  for (const auto& [word, value] : words) set += (set.empty() ? "{" : ",") + word;
  set += "}";
  return CLI::Validator(
      [&words, set](std::string& input) {
        const auto found = words.find(input);
        if (found == words.end()) return input + " not in " + set;
        input = std::to_string(static_cast<int>(found->second));
        return std::string();
      },
      set);
}

}  // namespace platter::cli

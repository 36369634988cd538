// Splits a command line into words as a shell does, without a shell: quotes and backslashes only,
// no variables, no patterns, no redirection.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace platter::transport {

// Single quotes keep all as it is; in double quotes a backslash keeps its meaning only before
// \ " $ ` and a newline; elsewhere it quotes the next character. Throws Error(usage) for an open
// quote or a backslash at the end. (POSIX.1-2017, Shell Command Language, 2.2.)
std::vector<std::string> split_words(std::string_view line);

}  // namespace platter::transport

// What each exit status means, and of which subcommands: what man pages and docs/exit-statuses.md
// have of them.
#pragma once

#include <string>
#include <vector>

#include "model/error.h"

namespace platter::jobs {

struct StatusCause {
  std::vector<const char*> subcommands{};  // "diff", also of what is below it; none: all
  const char* when;                        // in Markdown
};

struct StatusMeaning {
  ExitStatus status;
  const char* name;
  std::vector<StatusCause> causes;
};

const std::vector<StatusMeaning>& status_meanings();

// A table in Markdown: status, name, when.
std::string status_table();

}  // namespace platter::jobs

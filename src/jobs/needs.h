// What each subcommand needs besides its own files and drives, as one table: looked at before a
// command goes to a drive or a minute is spent, and printed for docs/needs.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace platter::jobs {

enum class NeedKind : std::uint8_t {
  program,  // on PATH
  part,     // a file of platter's own, beside the program or where that is installed
  other,    // root, a kernel's module, room: the subcommand itself looks at these
};

struct Need {
  std::string_view subcommand;  // "study run"
  std::string_view when;        // the option or argument that needs it; "": always
  NeedKind kind;
  std::string_view what;     // a program's or a file's name
  std::string_view package;  // of Debian; "": none
  std::string_view without;  // what happens where it is missing
};

const std::vector<Need>& needs();
std::string needs_table();

// The file of ours beside the program, or below the folder where it is installed; nullopt: not
// there.
std::optional<std::string> part_path(std::string_view name);

// Throws Error(missing_program) for the first program or part that is missing of those that this
// subcommand needs with `when`, with the package to install.
void require_needs(std::string_view subcommand, std::string_view when = "");

// gnuplot is not there: a sentence that names what then has no picture. nullopt: it is there.
std::optional<std::string> no_pictures(const std::vector<std::string>& missing);

}  // namespace platter::jobs

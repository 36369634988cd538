#include "cli/command_list.h"

#include <fmt/core.h>

#include <string_view>

#include "scsi/command_list.h"

namespace platter::cli {
namespace {

struct Told {
  std::string_view name, when;
};

// As the guard decides, by what the subcommands permit it.
Told told(scsi::CommandClass command_class) {
  switch (command_class) {
    case scsi::CommandClass::read:
      return {"read", "to any device that is opened"};
    case scsi::CommandClass::reversible_setting:
      return {"reversible setting", "`characterize`, `replay`, `validate`, `restore`"};
    case scsi::CommandClass::write:
      return {"write",
              "in the ranges of `--allow-writes` of `characterize`, `replay`, `validate`; in those "
              "of its journal "
              "by `restore`"};
  }
  return {};
}

std::string cdb_of(const scsi::CommandEntry& entry) {
  std::string text = fmt::format("{:02X}", entry.usage[0]);
  for (std::size_t i = 1; i < entry.cdb_length; ++i) text += fmt::format(" {:02X}", entry.usage[i]);
  return text;
}

}  // namespace

std::string command_list() {
  std::string text =
      "| command | opcode, and the bits of its CDB that may be set | class | sent "
      "|\n|---|---|---|---|\n";
  for (const scsi::CommandEntry& entry : scsi::command_table()) {
    const Told how = told(entry.command_class);
    text += fmt::format("| {} | `{}` | {} | {} |\n", entry.name, cdb_of(entry), how.name, how.when);
  }
  return text;
}

}  // namespace platter::cli

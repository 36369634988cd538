#include "jobs/printed_tables.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <string_view>

#include "identity/claims.h"
#include "model/finding_kinds.h"
#include "scsi/advice.h"
#include "scsi/command_table.h"

namespace platter::jobs {
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

const char* name_of(scsi::Affects affects) {
  switch (affects) {
    case scsi::Affects::these_blocks:
      return "blocks";
    case scsi::Affects::this_command:
      return "command";
    case scsi::Affects::this_try:
      return "try";
    case scsi::Affects::whole_drive:
      return "drive";
  }
  return "";
}

// "2,5,B", empty of all.
std::string names_of_keys(std::uint16_t keys) {
  if (keys == 0xFFFF) return "";
  std::string text;
  for (unsigned key = 0; key < 16; ++key)
    if ((keys >> key & 1) != 0) text += fmt::format("{}{:X}", text.empty() ? "" : ",", key);
  return text;
}

// "04/02", "04/05-08", "74/xx", "34-35/xx", "xx/xx" of all.
std::string names_of_codes(const scsi::AdviceRow& row) {
  const unsigned first_asc = row.first >> 8, last_asc = row.last >> 8;
  const unsigned first_ascq = row.first & 0xFF, last_ascq = row.last & 0xFF;
  if (first_asc == 0x00 && last_asc == 0xFF) return "xx/xx";
  if (first_asc != last_asc) return fmt::format("{:02X}-{:02X}/xx", first_asc, last_asc);
  if (first_ascq == 0x00 && last_ascq == 0xFF) return fmt::format("{:02X}/xx", first_asc);
  if (first_ascq == last_ascq) return fmt::format("{:02X}/{:02X}", first_asc, first_ascq);
  return fmt::format("{:02X}/{:02X}-{:02X}", first_asc, first_ascq, last_ascq);
}

std::string sense_of(const scsi::AdviceRow& row) {
  const std::string keys = names_of_keys(row.keys);
  return fmt::format("{}/{}", keys.empty() ? "x" : keys, names_of_codes(row));
}

std::string words_of(std::uint8_t uses) {
  if (uses == model::kAllUses) return "all";
  std::string text;
  for (const model::Use use : model::uses_in(uses))
    text.append(text.empty() ? "" : ", ").append(model::name_of(use));
  return text.empty() ? "-" : text;
}

std::string members(std::string_view touches) {
  if (touches.empty()) return "all";
  std::string text = "`";
  for (const char c : touches) text += c == ' ' ? "`, `" : std::string(1, c);
  return text + "`";
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

std::string advice_table() {
  std::string text = "| sense | concerns | what to do |\n|---|---|---|\n";
  const auto rows = scsi::advice_rows();
  for (std::size_t i = 0; i < rows.size();) {
    std::string senses = sense_of(rows[i]);
    std::size_t next = i + 1;
    const auto is_the_same = [&](const scsi::AdviceRow& row) {
      return row.text == rows[i].text && row.affects == rows[i].affects;
    };
    for (; next < rows.size() && is_the_same(rows[next]); ++next)
      senses += ", " + sense_of(rows[next]);
    text += fmt::format("| {} | {} | {} |\n", senses, name_of(rows[i].affects), rows[i].text);
    i = next;
  }
  return text;
}

std::string claims_printed() {
  std::string table = "| claim | who may make it | where they disagree |\n|---|---|---|\n";
  for (const identity::ClaimRow& row : identity::claim_table())
    table += fmt::format("| {} | {} | {} |\n", row.what, row.witnesses, row.if_they_disagree);
  return table;
}

std::string finding_table() {
  std::string text = "| code | weight | members | caps | what it is |\n|---|---|---|---|---|\n";
  for (const model::FindingKind& kind : model::finding_kinds())
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", kind.name, model::name_of(kind.weight),
                        members(kind.touches), words_of(kind.uses), kind.meaning);
  return text;
}

}  // namespace platter::jobs

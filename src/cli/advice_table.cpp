#include "cli/advice_table.h"

#include <fmt/format.h>

#include "scsi/advice.h"

namespace platter::cli {
namespace {

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

}  // namespace

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

}  // namespace platter::cli

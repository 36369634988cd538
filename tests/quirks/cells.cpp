#include "cells.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "scsi/command_table.h"

namespace quirks {
namespace {

using platter::scsi::CommandEntry;

bool every_drive_has(const CommandEntry& entry) {
  using namespace platter::scsi;
  constexpr std::array kMust = {kTestUnitReady, kRead6,   kWrite6, kInquiry, kReadCapacity10,
                                kRead10,        kWrite10, kRead16, kWrite16};
  return std::ranges::find(kMust, entry.usage[0]) != kMust.end();
}

std::string byte(unsigned value) { return fmt::format("{:02X}", value); }

// The byte of ATA PASS-THROUGH that has the ATA command (SAT-3, 12.2.2).
std::string pattern_of(const CommandEntry& entry) {
  std::string pattern = byte(entry.usage[0]);
  if (entry.service_action >= 0) pattern += fmt::format(" ?{:X}", entry.service_action & 0xF);
  if (entry.ata_command < 0) return pattern;
  const int command_byte = entry.cdb_length == 16 ? 14 : 9;
  for (int i = 1; i < command_byte; ++i) pattern += " ??";
  return pattern + " " + byte(static_cast<unsigned>(entry.ata_command));
}

std::vector<Row> rows_of_opcodes() {
  std::vector<Row> rows;
  std::set<unsigned> seen;
  for (const CommandEntry& entry : platter::scsi::command_table()) {
    if (every_drive_has(entry)) continue;
    const bool has_data = entry.direction == platter::scsi::Direction::from_device;
    const bool shared = entry.service_action >= 0 || entry.ata_command >= 0;
    if (shared) rows.push_back({std::string(entry.name), {pattern_of(entry)}, has_data});
    if (!seen.insert(entry.usage[0]).second) continue;
    const std::string opcode = byte(entry.usage[0]);
    rows.push_back(
        {shared ? "all of opcode " + opcode + "h" : std::string(entry.name), {opcode}, has_data});
  }
  return rows;
}

// Of a drive that has neither of two sizes.
std::vector<Row> rows_of_pairs() {
  return {{"MODE SENSE", {"1A", "5A"}, true},       {"MODE SELECT", {"15", "55"}, false},
          {"VERIFY", {"2F", "8F"}, false},          {"READ DEFECT DATA", {"37", "B7"}, true},
          {"ATA PASS-THROUGH", {"85", "A1"}, true}, {"DIAGNOSTIC", {"1C", "1D"}, true}};
}

std::vector<Row> rows_of_pages() {
  std::vector<Row> rows;
  for (const unsigned page : {0x01u, 0x03u, 0x04u, 0x08u, 0x0Au, 0x1Au, 0x1Cu, 0x3Fu}) {
    Row row{fmt::format("MODE SENSE of page {:02X}h", page), {}, true};
    for (const char* opcode : {"1A", "5A"})
      for (const unsigned control : {0x00u, 0x40u, 0x80u, 0xC0u})
        row.patterns.push_back(fmt::format("{} ?? {}", opcode, byte(control | page)));
    rows.push_back(std::move(row));
  }
  for (const unsigned page : {0x00u, 0x80u, 0x83u, 0x89u, 0xB0u, 0xB1u, 0xB2u, 0xB6u})
    rows.push_back({fmt::format("INQUIRY of page {:02X}h", page), {"12 01 " + byte(page)}, true});
  return rows;
}

// Refused: the drive behind does nothing.
Answer refuses(const std::string& name, const std::string& code) {
  const Json effect = {{"sense", code}, {"as_tur", true}};
  return {name, effect, effect};
}

Answer refuses_raw(const std::string& name, const std::string& sense) {
  const Json effect = {{"raw_sense", sense}, {"as_tur", true}};
  return {name, effect, effect};
}

}  // namespace

std::vector<Row> rows() {
  std::vector<Row> rows = rows_of_opcodes();
  for (auto more : {rows_of_pairs(), rows_of_pages()})
    rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

const std::vector<Answer>& answers() {
  static const std::vector<Answer> all = {
      refuses("5/20/00", "05 20 00"),
      refuses("5/24/00", "05 24 00"),
      refuses("B/00/00", "0B 00 00"),
      refuses("4/44/00", "04 44 00"),
      refuses("2/3A/00", "02 3A 00"),
      refuses_raw("no sense", ""),
      refuses_raw("NO SENSE", "700000000000000A00000000000000000000"),
      {"half", {{"half", true}}, nullptr},
      {"empty", {{"cut", 0}}, {{"as_tur", true}}},
  };
  return all;
}

std::optional<Json> table_of(const Row& row, const Answer& answer) {
  const Json& effect = row.has_data ? answer.effect : answer.effect_without_data;
  if (effect.is_null()) return std::nullopt;
  Json replies = Json::array();
  for (const std::string& pattern : row.patterns) {
    Json rule = effect;
    rule["cdb"] = pattern;
    replies.push_back(rule);
  }
  return Json{{"replies", replies}};
}

}  // namespace quirks

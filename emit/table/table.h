// The lookup-table model, a *.ptab file: what an engine needs of a model, in a FlatBuffers
// envelope. docs/table.md is the reference of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tables.h"
#include "model/drive_model.h"
#include "model/stand_ins.h"

namespace platter::emit_table {

// Of what is written: the first version that has all of it. Read is every one of the same major
// version whose `needs` are known.
struct TableVersion {
  std::uint32_t format;
  std::uint16_t minor;
};
constexpr std::uint16_t kTableMajor = 1;
constexpr TableVersion kWithoutAdditions{7, 0}, kWithAdditions{8, 1};
constexpr std::uint32_t kTableFormat = kWithAdditions.format;  // the newest that is read

// An addition without which times would be others: a table that has it names it among its `needs`.
struct Addition {
  std::string_view name;
  bool (*is_in)(const engine::TableSections& sections);
};
std::span<const Addition> additions();

// The bytes of the table of a model. The same model gives the same bytes.
// Throws Error(bad_input) for a model that is invalid or lacks what an engine needs.
std::string compile_table(const model::DriveModel& model);

struct Table {
  model::Identity identity{};      // name, vendor, product, revision, serial, blocks, block bytes
  model::Provenance provenance{};  // of the model: method, source, date
  model::Validity validity{};      // no demerits: the model was not validated
  std::vector<model::StandIn> stand_ins{};  // that the model speaks of
  std::string model_sha256{};               // of the model's text
  std::string platter{};                    // version of the program that wrote the table
  std::uint32_t format = 0;
  std::size_t bytes = 0;
  std::shared_ptr<const engine::Tables> tables;
};

// Reads and verifies a table file, envelope and meaning. Throws Error(bad_input) for what is no
// table, one that this program does not read or a damaged one.
Table load_table(const std::string& path);

// The same for bytes in memory, of any alignment.
Table read_table(std::span<const std::byte> bytes, const std::string& origin);

// Whether a file's first bytes are a table's.
bool begins_table(std::string_view bytes);

// Whether a file's name or its first bytes say that it is a table. Never throws.
bool is_table_file(const std::string& path);

}  // namespace platter::emit_table

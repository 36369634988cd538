// The lookup-table model, a *.ptab file: compiled tables in a FlatBuffers envelope, used in place.
// docs/table.md is the reference of the file.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/tables.h"
#include "model/drive_model.h"

namespace platter::emit_table {

// The bytes of the table of a model. The same model gives the same bytes.
// Throws Error(bad_input) for a model that is invalid or lacks what an engine needs.
std::string compile_table(const model::DriveModel& model);

struct Table {
  model::Identity identity{};      // name, vendor, product, revision, serial, blocks, block bytes
  model::Provenance provenance{};  // of the model: method, source, date
  model::Validity validity{};      // no demerits: the model was not validated
  std::string model_sha256{};      // of the model's text
  std::string platter{};           // version of the program that wrote the table
  std::size_t bytes = 0;
  std::shared_ptr<const engine::Tables> tables;  // keeps the file mapped
};

// Maps a table file and verifies it, envelope and meaning; nothing of its arrays is copied. Throws
// Error(bad_input) for what is no table, one of another version or a damaged one. The file must not
// be shortened while it is in use: replace it by renaming, as platter does.
Table load_table(const std::string& path);

// The same for bytes in memory, which must begin at a multiple of 8; `owner` keeps them.
Table view_table(std::span<const std::byte> bytes, const std::string& origin,
                 std::shared_ptr<const void> owner);

// The same for a copy of bytes, of any alignment.
Table copy_table(std::string_view bytes, const std::string& origin);

// Whether a file's first bytes are a table's.
bool begins_table(std::string_view bytes);

// Whether a file's name or its first bytes say that it is a table. Never throws.
bool is_table_file(const std::string& path);

}  // namespace platter::emit_table

// All that a table file says, field by field, as its schema names it: what the forms as text are
// made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace platter::emit_table {

struct Field {
  enum class Kind { whole, natural, real, flag, name, text };  // name: of an enumeration

  std::string section{};               // the table that holds it, "layout.nodes"
  std::optional<std::size_t> index{};  // in an array of numbers, or of structs
  std::string name{};
  Kind kind = Kind::natural;
  std::string value{};
};

// In the schema's order, with what is at its default. Of a table of this version that was verified.
std::vector<Field> fields_of(std::span<const std::byte> bytes);

}  // namespace platter::emit_table

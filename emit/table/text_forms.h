// A table as text, for programs that read no table files: rows for a spreadsheet or a data frame,
// constants for a C compiler. docs/table.md.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace platter::emit_table {

// RFC 4180: section, index, field, value, unit. Throw Error(bad_input) as read_table does.
std::string as_csv(std::span<const std::byte> table);

// C99, without a library: the types, the functions of examples/c/table_lookup.h, and the drive as
// one constant of the name that is its own, as far as C allows. Several drives go into one program.
std::string as_c_header(std::span<const std::byte> table);

// How a header begins, before the drive's name.
constexpr std::string_view kHeaderBegins = "/* A drive's table, by platter emit table: ";

// Whether a file begins as one of these.
bool begins_text_form(std::string_view beginning);

}  // namespace platter::emit_table

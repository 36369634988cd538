#include <fmt/format.h>
#include <table_generated.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "emit/table/fields.h"
#include "emit/table/lookup_text.h"
#include "emit/table/table.h"
#include "emit/table/text_forms.h"
#include "engine/layout_map.h"
#include "model/error.h"
#include "model/printable.h"

namespace platter::emit_table {
namespace {

namespace wire = platter::table;
using Kind = Field::Kind;
using Fields = std::vector<Field>;

// Of numbers and texts. What seek and layout are is in table_lookup.h.
constexpr const char* kPlainSections[] = {"identity", "motion", "overheads",
                                          "bus",      "cache",  "queue"};

struct Array {
  const char *section, *name, *type;
  bool of_structs = false;
};
constexpr Array kArrays[] = {{"seek", "cylinders", "uint64_t"},
                             {"seek", "times_ns", "int64_t"},
                             {"layout", "nodes", "platter_node", true},
                             {"layout", "listed_tracks", "platter_listed_track", true},
                             {"layout", "run_lists", "platter_run_list", true},
                             {"layout", "courses", "platter_course", true},
                             {"layout", "run_sectors", "uint32_t"},
                             {"layout", "run_jumps", "uint32_t"},
                             {"layout", "run_cylinders", "int32_t"},
                             {"layout", "run_courses", "uint16_t"},
                             {"layout", "run_sizes", "uint16_t"},
                             {"layout", "piece_blocks", "uint32_t"},
                             {"layout", "piece_shifts", "uint32_t"},
                             {"layout", "stretches", "platter_stretch", true}};

const char* type_of(Kind kind) {
  switch (kind) {
    case Kind::whole:
      return "int64_t ";
    case Kind::natural:
      return "uint64_t ";
    case Kind::real:
      return "double ";
    case Kind::flag:
      return "bool ";
    case Kind::name:
      return "int ";
    case Kind::text:
      return "const char *";
  }
  return "int ";
}

std::string constant(const Field& field) {
  switch (field.kind) {
    case Kind::natural:
      return field.value + "u";
    case Kind::name:
      return fmt::format("platter_{}_{}", field.name, field.value);
    case Kind::text: {
      std::string text;
      for (const char c : model::printable(field.value)) {
        if (c == '"' || c == '\\' || c == '?') text += '\\';
        text += c;
      }
      return fmt::format("\"{}\"", text);
    }
    default:
      return field.value;
  }
}

// "drive", and of the drive's name what an identifier may have, in small letters.
std::string identifier(const std::string& name) {
  std::string result = "drive_";
  for (const char c : name) {
    const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool fits = (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9');
    if (fits || result.back() != '_') result += fits ? small : '_';
  }
  while (result.back() == '_') result.pop_back();
  return result;
}

Fields of_section(const Fields& fields, const std::string& section) {
  Fields found;
  std::ranges::copy_if(fields, std::back_inserter(found),
                       [&](const Field& field) { return field.section == section; });
  return found;
}

std::string enumeration(const char* name, const char* const* values) {
  std::string text = "enum {";
  for (const char* const* value = values; *value != nullptr; ++value)
    text += fmt::format("{} platter_{}_{}", value == values ? "" : ",", name, *value);
  return text + " };\n";
}

// What a table of this version has beside the seeks and the layout.
std::string types_of(const Fields& fields) {
  std::string text = fmt::format(
      "#ifndef PLATTER_TABLE_FORMAT\n#define PLATTER_TABLE_FORMAT {0}\n\n", kTableFormat);
  text += enumeration("read_ahead", wire::EnumNamesReadAhead());
  text += enumeration("replacement", wire::EnumNamesReplacement());
  text += enumeration("destage_order", wire::EnumNamesDestageOrder());
  text += enumeration("scheduler", wire::EnumNamesScheduler());
  for (const char* const section : kPlainSections) {
    text += "\ntypedef struct {\n";
    for (const Field& field : of_section(fields, section))
      text += fmt::format("  {}{};\n", type_of(field.kind), field.name);
    text += fmt::format("}} platter_{};\n", section);
  }
  text += "\ntypedef struct {\n";
  for (const char* const section : kPlainSections)
    text += fmt::format("  platter_{0} {0};\n", section);
  text += "  platter_seek seek;\n  platter_layout layout;\n} platter_drive;\n\n";
  return text + fmt::format(
                    "#elif PLATTER_TABLE_FORMAT != {}\n"
                    "#error \"drives of two table formats in one program: write the older "
                    "header again\"\n#endif\n\n",
                    kTableFormat);
}

// Items with commas, lines of at most 100 columns.
std::string wrapped(const std::vector<std::string>& items, std::size_t indent) {
  const std::string margin(indent - 1, ' ');
  std::string text, line = margin;
  for (const std::string& item : items) {
    if (line.size() + item.size() + 2 > 100) {
      text += line + "\n";
      line = margin;
    }
    line += " " + item + ",";
  }
  return text + line + "\n";
}

std::vector<std::string> items_of(const Fields& fields, const Array& array) {
  std::vector<std::string> items;
  if (!array.of_structs) {
    for (const Field& field : of_section(fields, array.section))
      if (field.name == array.name) items.push_back(constant(field));
    return items;
  }
  for (const Field& field : of_section(fields, fmt::format("{}.{}", array.section, array.name))) {
    if (*field.index == items.size())
      items.push_back(fmt::format("{{{}", constant(field)));
    else
      items.back() += ", " + constant(field);
  }
  for (std::string& item : items) item += "}";
  return items;
}

// The arrays, and what the structs that hold them say of them.
std::string arrays_of(const Fields& fields, const std::string& name, std::string* seek,
                      std::string* layout) {
  std::string text;
  for (const Array& array : kArrays) {
    const std::vector<std::string> items = items_of(fields, array);
    if (!items.empty())
      text += fmt::format("static const {} {}_{}[] = {{\n{}}};\n", array.type, name, array.name,
                          wrapped(items, 4));
    (std::string_view(array.section) == "seek" ? seek : layout)
        ->append(items.empty() ? fmt::format(", .{} = 0", array.name)
                               : fmt::format(", .{1} = {0}_{1}", name, array.name));
  }
  return text;
}

std::string value_of(const Fields& fields, const std::string& section, const std::string& name) {
  return constant(*std::ranges::find_if(
      fields, [&](const Field& f) { return f.section == section && f.name == name; }));
}

std::string data_of(const Fields& fields, const Table& table, const std::string& name) {
  const Array distances = kArrays[0];
  std::string seek = fmt::format(".curves = {}, .points = {}u", value_of(fields, "seek", "curves"),
                                 items_of(fields, distances).size());
  std::string layout = fmt::format(".roots = {}", value_of(fields, "layout", "roots"));
  std::string text = arrays_of(fields, name, &seek, &layout);
  std::vector<std::string> slots;
  for (const engine::FlatNode& node : table.tables->layout.view().nodes)
    slots.push_back(fmt::format("{}u", node.slots));
  text += fmt::format("static const uint64_t {}_node_slots[] = {{\n{}}};\n\n", name,
                      wrapped(slots, 4));
  text += fmt::format("static const platter_drive {} = {{\n", name);
  for (const char* const section : kPlainSections) {
    std::vector<std::string> members;
    for (const Field& field : of_section(fields, section))
      members.push_back(fmt::format(".{} = {}", field.name, constant(field)));
    text += fmt::format("    .{} = {{\n{}    }},\n", section, wrapped(members, 8));
  }
  return text + fmt::format(
                    "    .seek = {{{}}},\n    .layout = {{{}, .node_slots = {}_node_slots}},"
                    "\n}};\n",
                    seek, layout, name);
}

std::string demerits_of_comment(const std::vector<model::Demerit>& demerits) {
  std::string text;
  for (const model::Demerit& d : demerits)
    text += fmt::format("{}{} {:.3g} %", text.empty() ? "" : ", ", model::printable(d.workload),
                        d.demerit_percent);
  return text;
}

std::string comment_of(const Table& table, const std::string& name) {
  const model::Identity& drive = table.identity;
  std::string text = fmt::format("{}{} {} {} ({}), as {}.\n", kHeaderBegins, drive.vendor,
                                 drive.product, drive.revision, drive.name, name);
  const std::string& date = table.provenance.date;
  text += fmt::format("   Model {}, {}{}; written by platter {}.\n", table.model_sha256,
                      table.provenance.method, date.empty() ? "" : ", " + date, table.platter);
  const std::string demerits = demerits_of_comment(table.validity.demerits);
  text += demerits.empty()
              ? std::string("   The model was not validated.\n")
              : fmt::format("   Demerits of the model against the drive: {}.\n", demerits);
  return model::replaced(text, "*/", "* /") +
         "   platter's docs/table.md says what the members mean. */\n";
}

}  // namespace

std::string as_c_header(std::span<const std::byte> bytes) {
  const Table table = read_table(bytes, "the table");
  if (table.tables->arms.several())
    throw Error(ExitStatus::unsupported,
                "a C header holds drives of one arm, and this one has several; take the table "
                "itself, or --format csv");
  if (table.tables->power.present)
    throw Error(ExitStatus::unsupported,
                "a C header holds drives that are always awake, and this one has power conditions; "
                "take the table itself, or --format csv");
  if (table.tables->shingling.act())
    throw Error(
        ExitStatus::unsupported,
        "a C header holds drives whose blocks stay where they are, and this one is shingled; "
        "take the table itself");
  const Fields fields = fields_of(bytes);
  const std::string name = identifier(table.identity.name);
  return fmt::format("{0}#ifndef PLATTER_{1}\n#define PLATTER_{1}\n\n{2}\n{3}{4}\n#endif\n",
                     comment_of(table, name), name, kLookupText, types_of(fields),
                     data_of(fields, table, name));
}

}  // namespace platter::emit_table

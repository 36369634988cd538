#include "trace/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "model/number_in.h"
#include "trace/line.h"
#include "trace/refuse.h"

namespace platter::trace {
namespace {

using std::string_view_literals::operator""sv;
using Role = Column::Role;

constexpr std::array kRoles = {
    std::pair{"-"sv, Role::ignored},     std::pair{"..."sv, Role::rest},
    std::pair{"time"sv, Role::time},     std::pair{"op"sv, Role::operation},
    std::pair{"offset"sv, Role::offset}, std::pair{"size"sv, Role::size},
    std::pair{"device"sv, Role::device}, std::pair{"response"sv, Role::response}};

constexpr std::array kTimeUnits = {
    std::pair{"s"sv, kSecond}, std::pair{"ms"sv, kMillisecond}, std::pair{"us"sv, kMicrosecond},
    std::pair{"ns"sv, Nanoseconds{1}}, std::pair{"filetime"sv, Nanoseconds{100}}};

constexpr std::array kSizeUnits = {
    std::pair{"bytes"sv, std::uint32_t{1}}, std::pair{"sectors"sv, std::uint32_t{512}},
    std::pair{"kb"sv, std::uint32_t{1024}}, std::pair{"blocks"sv, std::uint32_t{0}}};

constexpr std::array kOperations = {std::pair{""sv, '\0'}, std::pair{"0r1w"sv, '0'},
                                    std::pair{"1r0w"sv, '1'}, std::pair{"scsi"sv, 's'}};

constexpr std::array kWordMeanings = {std::pair{"R"sv, 'R'}, std::pair{"W"sv, 'W'},
                                      std::pair{"read"sv, 'R'}, std::pair{"write"sv, 'W'},
                                      std::pair{"-"sv, 'X'}};

constexpr std::array kSeparators = {std::pair{"comma"sv, ','}, std::pair{"semicolon"sv, ';'},
                                    std::pair{"tab"sv, '\t'}, std::pair{"blank"sv, ' '},
                                    std::pair{"bar"sv, '|'}};

constexpr std::array kDecimals = {std::pair{"point"sv, '.'}, std::pair{"comma"sv, ','}};

template <class Pairs>
auto found(const Pairs& pairs, std::string_view name) {
  return std::ranges::find(pairs, name, &Pairs::value_type::first);
}

template <class Pairs>
std::string listed(const Pairs& pairs) {
  std::string names;
  for (const auto& [name, value] : pairs)
    if (!name.empty()) names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

template <class Pairs>
auto unit_in(const Pairs& pairs, std::string_view column, std::string_view unit) {
  const auto at = found(pairs, unit);
  if (at != pairs.end()) return at->second;
  if (unit.empty())
    refuse("the column {} needs its unit, one of {}: write {}:{}", column, listed(pairs), column,
           pairs.front().first);
  refuse("the column {} has no unit \"{}\"; there are {}", column, unit, listed(pairs));
}

template <class Pairs>
auto value_in(const Pairs& pairs, std::string_view option, std::string_view value) {
  const auto at = found(pairs, value);
  if (at == pairs.end())
    refuse("{}={} says nothing of the columns; there are {}", option, value, listed(pairs));
  return at->second;
}

std::pair<std::string_view, std::string_view> halves(std::string_view text, char at) {
  const std::size_t end = std::min(text.find(at), text.size());
  return {text.substr(0, end), end < text.size() ? text.substr(end + 1) : std::string_view()};
}

void set_unit(Column& column, std::string_view name, std::string_view unit) {
  switch (column.role) {
    case Role::time:
    case Role::response:
      column.unit_ns = unit_in(kTimeUnits, name, unit);
      break;
    case Role::offset:
    case Role::size:
      column.unit_bytes = unit_in(kSizeUnits, name, unit);
      break;
    case Role::operation:
      column.code = unit_in(kOperations, name, unit);
      break;
    default:
      if (!unit.empty()) refuse("the column {} has no unit; leave \":{}\" out", name, unit);
  }
}

void add_word(Columns& columns, std::string_view text) {
  const auto [word, meaning] = halves(text, '=');
  const auto at = found(kWordMeanings, meaning);
  if (word.empty() || at == kWordMeanings.end())
    refuse(
        "\"{}\" says nothing of an operation: write WORD=R, WORD=W, or WORD=- for what is passed "
        "over",
        text);
  columns.words.insert_or_assign(std::string(word), at->second);
}

// decimal=, from=, separator=, thousands, hex: of the whole file. False: it is none of them.
bool add_option(Columns& columns, std::string_view text) {
  const auto [name, value] = halves(text, '=');
  if (name == "decimal") {
    columns.style.decimal = value_in(kDecimals, name, value);
  } else if (name == "separator") {
    columns.separator = value_in(kSeparators, name, value);
  } else if (name == "thousands") {
    columns.style.thousands = true;
  } else if (name == "from") {
    columns.from = model::number_in<decltype(columns.from)>(value).value_or(0);
    if (columns.from == 0) refuse("from={} is no number of a line; the first line is 1", value);
  } else {
    return false;
  }
  return true;
}

void add_column(Columns& columns, std::string_view text) {
  const auto [name, units] = halves(text, ':');
  const auto role = found(kRoles, name);
  if (role == kRoles.end())
    refuse("there is no column \"{}\" of a trace; there are {}", name, listed(kRoles));
  Column column{.role = role->second};
  std::string_view unit;
  for (std::string_view rest = units; !rest.empty();) {
    const auto [one, others] = halves(rest, ':');
    rest = others;
    if (one == "hex")
      column.hexadecimal = true;
    else if (column.role == Role::operation && one.find('=') != one.npos)
      add_word(columns, one);
    else if (!add_option(columns, one))
      unit = one;
  }
  set_unit(column, name, unit);
  columns.list.push_back(column);
}

const Column* only(const std::vector<Column>& list, Role role, const char* name, bool needed) {
  const auto count = std::ranges::count(list, role, &Column::role);
  if (count > 1)
    refuse("the column {} is named {} times; name it once, and the others -", name, count);
  if (count == 0 && needed)
    refuse("the column {} is not named; a trace needs time, op, offset and size", name);
  return count == 0 ? nullptr : &*std::ranges::find(list, role, &Column::role);
}

}  // namespace

void require_whole(Columns& columns) {
  if (columns.list.size() >= Line::kMost)
    refuse("{} columns are named; a line has at most {}", columns.list.size(), Line::kMost - 1);
  const std::vector<Column>& list = columns.list;
  const bool ways = only(list, Role::read, "read", false) ||
                    only(list, Role::write, "write", false);
  only(list, Role::time, "time", true);
  only(list, Role::operation, "op", !ways);
  only(list, Role::response, "response", false);
  only(list, Role::rest, "...", false);
  const bool blocks = only(list, Role::offset, "offset", true)->unit_bytes == 0;
  if (blocks != (only(list, Role::size, "size", true)->unit_bytes == 0))
    refuse(
        "offset and size are both in blocks of the device, or neither; name the other in blocks, "
        "too");
  columns.in_bytes = !blocks;
}

Columns columns_of(std::string_view text) {
  Columns columns;
  bool hexadecimal = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view one = text.substr(begin, comma - begin);
    begin = comma + 1;
    const bool column = one.find(':') != one.npos || found(kRoles, one) != kRoles.end();
    if (one == "hex")
      hexadecimal = true;
    else if (column || (!add_option(columns, one) && one.find('=') == one.npos))
      add_column(columns, one);
    else if (one.find('=') != one.npos && !add_option(columns, one))
      add_word(columns, one);
  }
  if (hexadecimal)
    for (Column& column : columns.list)
      column.hexadecimal = column.hexadecimal || column.role == Role::offset ||
                           column.role == Role::size;
  require_whole(columns);
  return columns;
}

void add_group(Columns& columns, std::string name) {
  if (name == "read" || name == "write") {
    columns.list.push_back({.role = name == "read" ? Role::read : Role::write});
    return;
  }
  constexpr std::string_view kComma = "_decimal_comma";
  if (name.ends_with(kComma)) {
    columns.style.decimal = ',';
    name.resize(name.size() - kComma.size());
  }
  std::ranges::replace(name, '_', ':');
  add_column(columns, name);
}

}  // namespace platter::trace

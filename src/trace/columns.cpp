#include "trace/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "model/error.h"
#include "trace/line.h"

namespace platter::trace {
namespace {

using std::string_view_literals::operator""sv;
using Role = Column::Role;

constexpr std::array kRoles = {
    std::pair{"-"sv, Role::ignored},        std::pair{"time"sv, Role::time},
    std::pair{"op"sv, Role::operation},     std::pair{"offset"sv, Role::offset},
    std::pair{"size"sv, Role::size},        std::pair{"device"sv, Role::device},
    std::pair{"response"sv, Role::response}};

constexpr std::array kTimeUnits = {
    std::pair{"s"sv, kSecond}, std::pair{"ms"sv, kMillisecond}, std::pair{"us"sv, kMicrosecond},
    std::pair{"ns"sv, Nanoseconds{1}}, std::pair{"filetime"sv, Nanoseconds{100}}};

constexpr std::array kSizeUnits = {
    std::pair{"bytes"sv, std::uint32_t{1}}, std::pair{"sectors"sv, std::uint32_t{512}},
    std::pair{"kb"sv, std::uint32_t{1024}}, std::pair{"blocks"sv, std::uint32_t{0}}};

constexpr std::array kOperations = {std::pair{""sv, '\0'}, std::pair{"0r1w"sv, '0'},
                                    std::pair{"1r0w"sv, '1'}, std::pair{"scsi"sv, 's'}};

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
    throw Error(ExitStatus::usage,
                fmt::format("the column {} needs its unit, one of {}: write {}:{}", column,
                            listed(pairs), column, pairs.front().first));
  throw Error(ExitStatus::usage, fmt::format("the column {} has no unit \"{}\"; there are {}",
                                             column, unit, listed(pairs)));
}

Column column_of(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon);
  const std::string_view unit = colon < text.size() ? text.substr(colon + 1) : std::string_view();
  const auto role = found(kRoles, name);
  if (role == kRoles.end())
    throw Error(ExitStatus::usage, fmt::format("there is no column \"{}\" of a trace; there are {}",
                                               name, listed(kRoles)));
  Column column{.role = role->second};
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
      if (!unit.empty())
        throw Error(ExitStatus::usage,
                    fmt::format("the column {} has no unit; leave \":{}\" out", name, unit));
  }
  return column;
}

const Column* only(const std::vector<Column>& list, Role role, const char* name, bool needed) {
  const auto count = std::ranges::count(list, role, &Column::role);
  if (count > 1)
    throw Error(ExitStatus::usage,
                fmt::format("the column {} is named {} times; name it once, and the others -", name,
                            count));
  if (count == 0 && needed)
    throw Error(
        ExitStatus::usage,
        fmt::format("the column {} is not named; a trace needs time, op, offset and size", name));
  return count == 0 ? nullptr : &*std::ranges::find(list, role, &Column::role);
}

}  // namespace

Columns columns_of(std::string_view text) {
  Columns columns;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    columns.list.push_back(column_of(text.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  if (columns.list.size() >= Line::kMost)
    throw Error(ExitStatus::usage, fmt::format("{} columns are named; a line has at most {}",
                                               columns.list.size(), Line::kMost - 1));
  only(columns.list, Role::time, "time", true);
  only(columns.list, Role::operation, "op", true);
  only(columns.list, Role::response, "response", false);
  const bool blocks = only(columns.list, Role::offset, "offset", true)->unit_bytes == 0;
  if (blocks != (only(columns.list, Role::size, "size", true)->unit_bytes == 0))
    throw Error(ExitStatus::usage,
                "offset and size are both in blocks of the device, or neither; name the other in "
                "blocks, too");
  columns.in_bytes = !blocks;
  return columns;
}

std::string_view published_columns(Format format) {
  switch (format) {
    case Format::systor17:
      return "time:s,response:s,op,device,offset:bytes,size:bytes";
    case Format::alibaba:
      return "device,op,offset:bytes,size:bytes,time:us";
    case Format::tencent:
      return "time:s,offset:sectors,size:sectors,op:0r1w,device";
    case Format::k5:
      return "device,time:s,op,offset:bytes,size:bytes";
    case Format::cloudphysics:
      return "time:us,offset:sectors,op,size:bytes";
    case Format::fiu:
      return "time:ns,-,-,offset:sectors,size:sectors,op,device,device,-";
    default:
      return {};
  }
}

}  // namespace platter::trace

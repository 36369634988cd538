#include <utility>

#include "scsi/bytes.h"
#include "virtual_drive/identity_pages.h"

namespace platter::virtual_drive {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t kPageList = 0x00, kTemperaturePage = 0x0d, kCyclesPage = 0x0e;
constexpr std::uint8_t kSubpageList = 0xff;

// The drive has no thermometer and no age: figures as those of any drive in a server.
constexpr std::uint8_t kTemperature_C = 35, kReferenceTemperature_C = 60;
constexpr std::uint32_t kSpecifiedCycles = 50'000;

struct LogParameter {
  std::uint16_t code;
  Bytes value;
};

Bytes be32(std::uint32_t number) {
  Bytes bytes(4);
  scsi::put_be(bytes.data(), 4, number);
  return bytes;
}

// A list parameter in binary format, one that the drive does not save (SPC-4 clause 7.3.2.2).
void append_parameter(Bytes& page, const LogParameter& parameter) {
  constexpr std::uint8_t kBinaryList = 0x03, kNotSaved = 0x20;
  Bytes head(4);
  scsi::put_be(head.data(), 2, parameter.code);
  head[2] = kNotSaved | kBinaryList;
  head[3] = static_cast<std::uint8_t>(parameter.value.size());
  page.insert(page.end(), head.begin(), head.end());
  page.insert(page.end(), parameter.value.begin(), parameter.value.end());
}

// Page and subpage of each, or pages alone (SPC-4 clauses 7.3.18 and 7.3.19).
Bytes list_of_pages(bool subpages) {
  Bytes list;
  for (const std::uint8_t page : {kPageList, kTemperaturePage, kCyclesPage}) {
    list.push_back(page);
    if (!subpages) continue;
    list.push_back(0);
    if (page == kPageList) list.insert(list.end(), {page, kSubpageList});
  }
  return list;
}

std::vector<LogParameter> log_parameters_of(std::uint8_t page, const LogFigures& figures) {
  if (page == kTemperaturePage)
    return {{0, {0, kTemperature_C}}, {1, {0, kReferenceTemperature_C}}};
  return {{3, be32(kSpecifiedCycles)}, {4, be32(figures.start_stop_cycles)}};
}

}  // namespace

Reply log_data(const LogFigures& figures, const scsi::Command& command) {
  const std::uint8_t page = command.cdb[2] & 0x3f, subpage = command.cdb[3];
  const std::uint16_t pointer = scsi::get_be16(&command.cdb[5]);
  Bytes data{page, subpage, 0, 0};
  if (subpage != 0) data[0] |= 0x40;  // SPF
  if (page == kPageList && (subpage == 0 || subpage == kSubpageList)) {
    if (pointer != 0) return invalid_cdb_field(5);
    const Bytes list = list_of_pages(subpage != 0);
    data.insert(data.end(), list.begin(), list.end());
  } else if ((page == kTemperaturePage || page == kCyclesPage) && subpage == 0) {
    const auto parameters = log_parameters_of(page, figures);
    if (pointer > parameters.back().code) return invalid_cdb_field(5);
    for (const LogParameter& parameter : parameters)
      if (parameter.code >= pointer) append_parameter(data, parameter);
  } else {
    return invalid_cdb_field(subpage != 0 ? 3 : 2);
  }
  scsi::put_be(&data[2], 2, data.size() - 4);
  return good(std::move(data), scsi::get_be16(&command.cdb[7]));
}

}  // namespace platter::virtual_drive

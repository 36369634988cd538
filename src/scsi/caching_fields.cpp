#include "scsi/caching_fields.h"

#include <algorithm>

#include "scsi/bytes.h"

namespace platter::scsi {
namespace {

constexpr CachingField kFields[] = {
    {"IC", 2, 7, 1},
    {"ABPF", 2, 6, 1},
    {"CAP", 2, 5, 1},
    {"DISC", 2, 4, 1},
    {"SIZE", 2, 3, 1},
    {"WCE", 2, 2, 1},
    {"MF", 2, 1, 1},
    {"RCD", 2, 0, 1},
    {"DEMAND READ RETENTION PRIORITY", 3, 4, 4},
    {"WRITE RETENTION PRIORITY", 3, 0, 4},
    {"DISABLE PRE-FETCH TRANSFER LENGTH", 4, 0, 16},
    {"MINIMUM PRE-FETCH", 6, 0, 16},
    {"MAXIMUM PRE-FETCH", 8, 0, 16},
    {"MAXIMUM PRE-FETCH CEILING", 10, 0, 16},
    {"FSW", 12, 7, 1},
    {"LBCSS", 12, 6, 1},
    {"DRA", 12, 5, 1},
    {"SYNC_PROG", 12, 1, 2},
    {"NV_DIS", 12, 0, 1},
    {"NUMBER OF CACHE SEGMENTS", 13, 0, 8},
    {"CACHE SEGMENT SIZE", 14, 0, 16},
};

int bytes_of(const CachingField& field) { return field.bits > 8 ? 2 : 1; }

}  // namespace

std::span<const CachingField> caching_fields() { return kFields; }

const CachingField* find_caching_field(std::string_view name) {
  const auto found = std::ranges::find(kFields, name, &CachingField::name);
  return found == std::end(kFields) ? nullptr : found;
}

bool has_field(Bytes page, const CachingField& field) {
  return page.size() >= static_cast<std::size_t>(field.byte + bytes_of(field));
}

std::uint32_t value_of(Bytes page, const CachingField& field) {
  const auto all = static_cast<std::uint32_t>(get_be(&page[field.byte], bytes_of(field)));
  return (all >> field.shift) & most_of(field);
}

void set_value(std::vector<std::uint8_t>& page, const CachingField& field, std::uint32_t value) {
  const auto all = static_cast<std::uint32_t>(get_be(&page[field.byte], bytes_of(field)));
  const std::uint32_t mask = most_of(field) << field.shift;
  put_be(&page[field.byte], bytes_of(field), (all & ~mask) | ((value << field.shift) & mask));
}

}  // namespace platter::scsi
